import { decodeThreadEvent, parseThreadEvent, subjects, type ThreadEvent, type ThreadRef } from '@millrace/contracts';
import { StoreFull, StoreUnavailable, ThreadLog } from '@millrace/ports';
import { type JetStreamClient, jetstream } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/nats-core';
import { isFull, isWrongLastSequence } from './api-codes.js';
import { LeaderReader } from './leader-reader.js';
import { STREAMS } from './topology.js';

/** Threads lie beside the runs in the same stream; the first event is stored once, whoever tries. */
export class JetStreamThreadLog extends ThreadLog {
  readonly #js: JetStreamClient;
  readonly #leader: LeaderReader;

  constructor(nats: NatsConnection) {
    super();
    this.#js = jetstream(nats, { timeout: 5_000 });
    this.#leader = new LeaderReader(nats, STREAMS.runs);
  }

  async create(event: ThreadEvent): Promise<ThreadEvent> {
    const bytes = new TextEncoder().encode(JSON.stringify(parseThreadEvent(event)));
    try {
      await this.#js.publish(subjects.threadEvent(event), bytes, {
        msgID: event.eventId,
        expect: { lastSubjectSequence: 0, lastSubjectSequenceSubject: subjects.thread(event) },
      });
      return event;
    } catch (cause) {
      if (isFull(cause)) throw new StoreFull(`Thread ${event.threadId}: stream ${STREAMS.runs} is full`, { cause });
      const there = isWrongLastSequence(cause) ? await this.find(event) : undefined;
      if (there) return there;
      throw new StoreUnavailable(`Thread ${event.threadId}: stream ${STREAMS.runs} took no append`, { cause });
    }
  }

  /** Asked of the leader: another replica may not have a thread that was created just now. */
  async find(thread: ThreadRef): Promise<ThreadEvent | undefined> {
    const found = await this.#leader.last(subjects.thread(thread));
    return found && decodeThreadEvent(found.data);
  }
}
