import { type RunRef, subjects } from '@millrace/contracts';
import { Timers } from '@millrace/ports';
import { type JetStreamClient, jetstream } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/nats-core';

/** What rang is of no use an hour later: every orchestrator that could have heard it has looked at the run by then. */
const RUNG_TTL = '1h';

/** Timers as scheduled messages: the server keeps them, and rings whichever orchestrator lives then. */
export class JetStreamTimers extends Timers {
  readonly #js: JetStreamClient;

  constructor(nats: NatsConnection) {
    super();
    this.#js = jetstream(nats);
  }

  async set(run: RunRef, name: string, at: Date): Promise<void> {
    await this.#js.publish(subjects.timerSet(run, name), '', {
      schedule: { specification: at, target: subjects.timerDue(run, name), ttl: RUNG_TTL },
    });
  }
}
