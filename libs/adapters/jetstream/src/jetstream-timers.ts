import { RunId, type RunRef, TenantId } from '@millrace/contracts';
import { Timers } from '@millrace/ports';
import { type JetStreamClient, jetstream } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/nats-core';

/** What rang is of no use an hour later: whoever should have heard it looks at the run by then. */
const RUNG_TTL = '1h';

/** Timers as scheduled messages: the server keeps them, and rings whichever orchestrator lives then. */
export class JetStreamTimers extends Timers {
  readonly #js: JetStreamClient;

  constructor(nats: NatsConnection) {
    super();
    this.#js = jetstream(nats);
  }

  async set({ tenantId, runId }: RunRef, name: string, at: Date): Promise<void> {
    const run = `${TenantId.parse(tenantId)}.${RunId.parse(runId)}`;
    const token = Buffer.from(name).toString('base64url');
    await this.#js.publish(`timer.set.${run}.${token}`, '', {
      schedule: { specification: at, target: `timer.due.${run}.${token}`, ttl: RUNG_TTL },
    });
  }
}

/** The run a timer rang for; undefined for what is no timer of ours. */
export const runOfTimer = (subject: string): RunRef | undefined => {
  const [timer, due, tenantId, runId] = subject.split('.');
  const [tenant, run] = [TenantId.safeParse(tenantId), RunId.safeParse(runId)];
  if (timer !== 'timer' || due !== 'due' || !tenant.success || !run.success) return undefined;
  return { tenantId: tenant.data, runId: run.data };
};
