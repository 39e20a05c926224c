import { beforeEach, describe, expect, it } from '@jest/globals';
import { InMemoryRunLog } from '@millrace/adapter-memory';
import { RunRetries } from '@millrace/application';
import { type AgentAnnouncement, aTenantId, EventId, RunId, type RunRef } from '@millrace/contracts';
import { JetStreamContext } from '@millrace/nest-kit';
import { RetryController } from './retry.controller.js';
import { NotingRunOrders, SingleRuns } from './single-runs.js';

const ada = { tenantId: aTenantId, userId: 'ada' };
const idAt = (at: number) => `01JD${String(at).padStart(22, '0')}`;
const runAt = (at: number): RunRef => ({ tenantId: aTenantId, runId: RunId.parse(idAt(at)) });

class CountedLog extends InMemoryRunLog {
  reads = 0;
  override read(...asked: Parameters<InMemoryRunLog['read']>): ReturnType<InMemoryRunLog['read']> {
    this.reads += 1;
    return super.read(...asked);
  }
}

describe('A single run', () => {
  let made = 0;
  let log: CountedLog;
  let singles: SingleRuns;
  let orders: NotingRunOrders;
  let controller: RetryController;
  beforeEach(() => {
    log = new CountedLog();
    singles = new SingleRuns();
    const ids = { next: () => EventId.parse(idAt((made += 1))) };
    const ports = { log, ids, clock: { now: () => new Date('2026-01-12T10:00:00.000Z') } };
    const newRunId = () => RunId.parse(ids.next());
    const agents = { requireInput: async () => {}, requireAgent: async () => ({}) as AgentAnnouncement };
    orders = new NotingRunOrders(singles, ports, newRunId, { agent: 'echo', appId: 'demo', policy: 'default' }, agents);
    controller = new RetryController(new RunRetries(ports, { improver: 'improver', newRunId, agents }), singles);
  });

  const ends = async (runId: RunId): Promise<number> => {
    log.reads = 0;
    const subject = `tenant.${aTenantId}.run.${runId}.RunFailed`;
    await controller.happened(new JetStreamContext([{ subject, place: 1 } as never]));
    return log.reads;
  };

  it('ends without being read again, where it was requested', async () => {
    expect(await ends(await orders.start(ada, {}))).toBe(0);
    expect(singles.size).toBe(0);
  });

  it('is what has no retries, and was not there before', async () => {
    expect(await ends(await orders.start(ada, { retryOnFailure: { maxRetries: 1 } }))).toBeGreaterThan(0);
    expect(await ends(await orders.start(ada, {}, 'a key'))).toBeGreaterThan(0);
    expect(singles.size).toBe(0);
  });

  it('is looked up by whoever did not request it, and when its end is told again', async () => {
    const runId = await orders.start(ada, {});
    expect(await ends(runId)).toBe(0);
    expect(await ends(runId)).toBeGreaterThan(0);
  });

  it('is forgotten when there are too many, the oldest first', () => {
    for (let at = 0; at <= 10_000; at += 1) singles.add(runAt(at));
    expect(singles.size).toBe(10_000);
    expect([singles.take(runAt(0)), singles.take(runAt(1))]).toEqual([false, true]);
  });
});
