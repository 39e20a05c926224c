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
import { type Consumer, type ConsumerMessages, DeliverPolicy, jetstream, type JsMsg } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/nats-core';
import { setTimeout as pause } from 'node:timers/promises';
import { passes } from './api-codes.js';
import { unpackEvent } from './large-payloads.js';
import { STREAMS } from './topology.js';

const BATCH = 1_000;
const ANSWER_WITHIN_MS = 5_000;

/** How long a consumer's server may say nothing, not even that there is nothing, before another one is asked. */
const ASKED_EVERY_MS = 2_000;
const PAUSE_MS = 200;

/**
 * Reads with an ordered consumer: the server keeps nothing of it but a place in memory. Where the reader stands is the
 * reader's own fact, so a consumer that falls silent is left behind and made anew behind the last message. It lives on one
 * server of the cluster alone: while that one is dead or hangs, the client library asks after it and gets no answer, and
 * would wait for as long as that takes.
 */
export class JetStreamEventFeed extends EventFeed {
  constructor(
    private readonly nats: NatsConnection,
    private readonly blobs: BlobStore,
  ) {
    super();
  }

  async *batches(start: FeedStart): AsyncGenerator<StoredEvent[]> {
    let { afterStreamSequence } = start;
    for (let isSilent = true; isSilent && !start.signal.aborted;) {
      isSilent = false;
      for await (const batch of this.untilSilent({ ...start, afterStreamSequence }, () => (isSilent = true))) {
        afterStreamSequence = batch.at(-1)?.streamSequence ?? afterStreamSequence;
        yield batch;
      }
      if (isSilent) await pause(PAUSE_MS);
    }
  }

  private async *untilSilent(
    { signal, maxBatch = BATCH, ...start }: FeedStart,
    onSilent: () => void,
  ): AsyncGenerator<StoredEvent[]> {
    const consumer = await this.openSurely(start, signal);
    if (!consumer) return;
    const messages = await consumer.consume({ max_messages: 2 * maxBatch, expires: ASKED_EVERY_MS });
    const close = () => void messages.close();
    void silenceOf(messages).then((isSilent) => {
      if (!isSilent) return;
      onSilent();
      close();
    });
    signal.addEventListener('abort', close);
    if (signal.aborted) close(); // while the consumer was made
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

  /** A cluster that elects makes no consumer for a while: it is asked again. Undefined when the reader stops before. */
  private async openSurely(
    start: Pick<FeedStart, 'afterStreamSequence' | 'exclude'>,
    signal: AbortSignal,
  ): Promise<Consumer | undefined> {
    while (!signal.aborted) {
      try {
        return await this.open(start);
      } catch (cause) {
        if (!passes(cause)) throw cause;
        await pause(PAUSE_MS);
      }
    }
    return undefined;
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
    return unpackEvent(message, about, this.blobs);
  }
}

/**
 * False when the messages end before. A consumer is made before its server hears questions to it: what is asked in between
 * reaches nobody, and is not asked again.
 */
async function silenceOf(messages: ConsumerMessages): Promise<boolean> {
  for await (const { type } of messages.status()) if (SILENCE.has(type)) return true;
  return false;
}

const SILENCE: ReadonlySet<string> = new Set(['heartbeats_missed', 'no_responders']);

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
