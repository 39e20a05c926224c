import {
  decodeThreadEvent,
  EventInvalid,
  parseSubject,
  RUN_EVENT_KINDS,
  type RunEvent,
  subjects,
  type ThreadEvent,
} from '@millrace/contracts';
import {
  type BlobStore,
  EventFeed,
  type FeedBacklog,
  type FeedStart,
  type StoredEvent,
  type StoredPlace,
} from '@millrace/ports';
import { PlatformError } from '@millrace/kernel';
import { type ConsumerMessages, DeliverPolicy, jetstream, type JsMsg } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/nats-core';
import { referencedIn } from './event-headers.js';
import { unpackEvent } from './large-payloads.js';
import { STREAMS } from './topology.js';

const BATCH = 1_000;
const ANSWER_WITHIN_MS = 5_000;

/**
 * Reads with an ordered consumer: the server keeps nothing of it but a place in memory, and the client makes it anew
 * behind the last message when the connection or the server was gone. Where the reader stands is the reader's own fact.
 */
export class JetStreamEventFeed extends EventFeed {
  constructor(
    private readonly nats: NatsConnection,
    private readonly blobs: BlobStore,
  ) {
    super();
  }

  async *batches({ signal, maxBatch = BATCH, ...start }: FeedStart): AsyncGenerator<StoredEvent[]> {
    if (signal.aborted) return;
    const consumer = await this.open(start);
    const messages = await consumer.consume({ max_messages: 2 * maxBatch });
    const close = () => void messages.close();
    signal.addEventListener('abort', close);
    const arrivals = new Arrivals(messages, (message) => this.decode(message), 2 * maxBatch);
    try {
      for (;;) {
        const piled = await arrivals.take(maxBatch);
        if (piled.length === 0 || signal.aborted) return;
        yield await Promise.all(piled);
      }
    } finally {
      signal.removeEventListener('abort', close);
      await messages.close();
    }
  }

  async backlog(start: Pick<FeedStart, 'afterStreamSequence' | 'exclude'>): Promise<FeedBacklog> {
    const consumer = await this.open(start);
    try {
      const { num_pending: count } = await consumer.info(true); // as it was when it was made
      const first = count === 0 ? null : await consumer.next({ expires: ANSWER_WITHIN_MS });
      return { count, oldest: first === null ? undefined : placeOf(first) };
    } finally {
      await consumer.delete();
    }
  }

  private open({ afterStreamSequence, exclude = [] }: Pick<FeedStart, 'afterStreamSequence' | 'exclude'>) {
    return jetstream(this.nats).consumers.get(STREAMS.runs, {
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: afterStreamSequence + 1,
      filter_subjects: filtersWithout(exclude),
    });
  }

  private async decode(message: JsMsg): Promise<StoredEvent> {
    const place = placeOf(message);
    try {
      return { ...place, event: await this.eventIn(message) };
    } catch (error) {
      if (!(error instanceof PlatformError) || error.redelivery === 'retry') throw error;
      return { ...place, subject: message.subject, invalid: error.message };
    }
  }

  private async eventIn(message: JsMsg): Promise<RunEvent | ThreadEvent> {
    const about = parseSubject(message.subject);
    if (about === undefined) throw new EventInvalid(`${message.subject} is the subject of no event`);
    if (about.type === 'thread') return decodeThreadEvent(message.data);
    return unpackEvent({ bytes: message.data, referenced: referencedIn(message.headers) }, about, this.blobs);
  }
}

const placeOf = ({ seq, time }: JsMsg): StoredPlace => ({ streamSequence: seq, storedAt: time.toISOString() });

const filtersWithout = (exclude: readonly RunEvent['kind'][]): string[] => {
  if (exclude.length === 0) return [subjects.everyRun(), subjects.everyThread()];
  const kept = RUN_EVENT_KINDS.filter((kind) => !exclude.includes(kind));
  return [...kept.map((kind) => subjects.everyRun(kind)), subjects.everyThread()];
};

/**
 * What has piled up since the last look, at once; waits only when that is nothing. Holds no more than `most`. Each is
 * decoded as it comes, while the reader is busy with what it has.
 */
class Arrivals {
  readonly #piled: Promise<StoredEvent>[] = [];
  #ended = false;
  #failure?: Error;
  #changed: () => void = () => {};

  constructor(
    messages: ConsumerMessages,
    private readonly decode: (message: JsMsg) => Promise<StoredEvent>,
    private readonly most: number,
  ) {
    void this.collect(messages);
  }

  /** Empty once the messages have ended. */
  async take(count: number): Promise<Promise<StoredEvent>[]> {
    while (this.#piled.length === 0 && !this.#ended) await this.change();
    if (this.#piled.length === 0 && this.#failure !== undefined) throw this.#failure;
    const taken = this.#piled.splice(0, count);
    this.#changed();
    return taken;
  }

  private async collect(messages: ConsumerMessages): Promise<void> {
    try {
      for await (const message of messages) {
        const decoding = this.decode(message);
        decoding.catch(() => {}); // whoever takes it hears of it
        this.#piled.push(decoding);
        this.#changed();
        while (this.#piled.length >= this.most) await this.change();
      }
    } catch (error) {
      this.#failure = error instanceof Error ? error : new Error(String(error));
    } finally {
      this.#ended = true;
      this.#changed();
    }
  }

  /** Only one side ever waits: the reader when there is nothing, the collector when there is too much. */
  private change(): Promise<void> {
    return new Promise((resolve) => (this.#changed = resolve));
  }
}
