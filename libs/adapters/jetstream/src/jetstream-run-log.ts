import { EventInvalid, parseSubject, type RunEvent, type RunRef, subjects } from '@millrace/contracts';
import {
  advance,
  type Appended,
  type AtLeast,
  type BlobStore,
  type Delivery,
  EMPTY_TAIL,
  type EventDraft,
  type JoinedRun,
  type JoinOptions,
  type ReadFrom,
  type ReadOptions,
  RunLog,
  RunLogConflict,
  type RunPage,
  stampEvent,
  StoreFull,
  StoreUnavailable,
  type Tail,
} from '@millrace/ports';
import type { NatsConnection } from '@nats-io/nats-core';
import { AcknowledgedPublisher, type ConditionalMessage, type StreamAck } from './acknowledged-publisher.js';
import { isFull, isWrongLastSequence } from './api-codes.js';
import type { JetStreamDelivery } from './durable-consumer.js';
import { DirectReader, type MessagePage } from './direct-reader.js';
import { eventHeaders, referencedIn, streamSequenceIn, tailIn } from './event-headers.js';
import { packEvent, unpackEvent } from './large-payloads.js';
import { LeaderReader } from './leader-reader.js';
import { LiveEvents } from './live-events.js';
import { LastWritten, ReplicaLag } from './replica-lag.js';
import { type Arrival, arrivalsOf, tailBehind } from './run-arrivals.js';
import { followRun, joinRun } from './run-follow.js';
import { NEAR, seek } from './run-seek.js';
import { STREAMS } from './topology.js';

export interface RunLogOptions {
  /**
   * Reads go over it. Direct gets are answered inline in the server's loop of the connection they come by: a process
   * that replays much gives them one of their own, so that appends and live events do not wait behind.
   */
  readonly replay?: NatsConnection;
  readonly appendTimeoutMs?: number;
  readonly lookEveryMs?: number;
  readonly maxWaiting?: number;
}

/**
 * I1  Every append of a run names the same filter, whatever it appends: with another one a replicated stream compares
 *     nothing. So this is the only place in the code base that publishes into a run.
 * I2  Subject and filter are made from the same value: the server does not compare them with each other.
 * I3  An event is stored at most once, right behind the tail it was decided on: on a lost answer the place behind
 *     that tail tells whether it was ours.
 * I4  A read that ends before what is known to be stored is asked for again: on a replicated stream any replica answers
 *     it. Known is what this process wrote, and what the reader names: the event it was told of, or all there is now.
 */
export class JetStreamRunLog extends RunLog {
  readonly #stream = STREAMS.runs;
  readonly #publisher: AcknowledgedPublisher;
  readonly #reader: DirectReader;
  readonly #leader: LeaderReader;
  readonly #live: LiveEvents;
  readonly #written = new LastWritten();

  constructor(
    private readonly nats: NatsConnection,
    private readonly blobs: BlobStore,
    private readonly options: RunLogOptions = {},
  ) {
    super();
    this.#publisher = new AcknowledgedPublisher(nats, options.appendTimeoutMs ?? 5_000);
    this.#reader = new DirectReader(options.replay ?? nats, this.#stream);
    this.#leader = new LeaderReader(nats, this.#stream);
    this.#live = new LiveEvents(nats, {
      lookEveryMs: options.lookEveryMs ?? 5_000,
      maxWaiting: options.maxWaiting ?? 1_000,
      decode: async (message, run) => {
        const { data, headers } = message;
        const packed = { bytes: data, referenced: referencedIn(headers) };
        const event = await unpackEvent(packed, run, this.blobs);
        return { event, streamSequence: streamSequenceIn(headers) };
      },
    });
  }

  async append(run: RunRef, draft: EventDraft, tail: Tail): Promise<Appended> {
    const stamped = stampEvent(run, draft, tail);
    const { bytes, referenced } = await packEvent(stamped, this.blobs);
    const next = advance(tail, stamped.event, 0);
    const ack = await this.publish(stamped.event, bytes, {
      id: stamped.event.eventId,
      headers: eventHeaders(next, referenced),
      last: { sequence: tail.streamSequence, filter: subjects.run(run) }, // I1, I2
    });
    if (ack === undefined || ack.duplicate) return this.alreadyStored(run, stamped.event, tail);
    this.#written.note(run, ack.seq);
    return { event: stamped.event, tail: { ...next, streamSequence: ack.seq } };
  }

  async read(
    run: RunRef,
    from: ReadFrom = EMPTY_TAIL,
    { limit = Number.POSITIVE_INFINITY, atLeast }: ReadOptions = {},
  ): Promise<RunPage> {
    const known = await this.known(run, atLeast); // I4
    const filter = subjects.run(run);
    const events: RunEvent[] = [];
    let tail: Tail = 'streamSequence' in from ? from : EMPTY_TAIL;
    let isSkipping = !('streamSequence' in from);
    // One more than wanted tells whether there is more; and what seek leaves to be skipped comes in one page.
    const wanted = Math.min(limit + 1 + (isSkipping ? NEAR : 0), PAGE);
    const arrivals = arrivalsOf(run, this.blobs);
    const pageFrom = (place: number) => this.#reader.page(filter, place, wanted, arrivals);
    const place = await this.placeOf(run, from);
    const lag = new ReplicaLag(`Run ${run.runId}`, known, place - 1);
    let asked: Promise<MessagePage<Arrival>> | undefined = pageFrom(place);
    while (asked) {
      const page: MessagePage<Arrival> = await asked;
      const { items, lastSequence, atEnd } = page;
      const isEnough: boolean = atEnd || (!isSkipping && events.length + items.length > limit);
      // The next page is on its way while large payloads of this one are fetched.
      asked = isEnough || lastSequence === undefined ? undefined : pageFrom(lastSequence + 1);
      asked?.catch(() => {}); // seen when it is awaited, if it still is
      for (const arrival of items) {
        const event = typeof arrival.event === 'function' ? await arrival.event() : arrival.event;
        isSkipping &&= isBefore(event, from);
        if (!isSkipping && events.length >= limit) return { events, tail, hasMore: true };
        if (!isSkipping) events.push(event);
        tail = tailBehind(arrival, tail, event);
      }
      if (!asked && events.length === limit && tail.streamSequence < known) return { events, tail, hasMore: true };
      const missing = asked ? undefined : await lag.missingAfter(lastSequence);
      if (missing !== undefined) asked = pageFrom(missing);
    }
    return { events, tail, hasMore: false };
  }

  async delivered(delivery: Delivery): Promise<Appended> {
    const { subject, data, place } = delivery;
    const about = parseSubject(subject);
    if (about?.type !== 'run') throw new EventInvalid(`${subject} is the subject of no event of a run`);
    const { headers } = delivery as JetStreamDelivery;
    const event = await unpackEvent({ bytes: data, referenced: referencedIn(headers) }, about, this.blobs);
    const tail = tailIn(headers, place);
    if (!tail) throw new EventInvalid(`Message ${place} of ${this.#stream} was not appended by Millrace`);
    return { event, tail };
  }

  async tail(run: RunRef, { atLeast }: Pick<ReadOptions, 'atLeast'> = {}): Promise<Tail> {
    const lag = new ReplicaLag(`Run ${run.runId}`, await this.known(run, atLeast));
    let last = await this.#reader.last(subjects.run(run));
    while ((await lag.missingAfter(last?.streamSequence)) !== undefined) {
      last = await this.#reader.last(subjects.run(run)); // I4
    }
    if (!last) return EMPTY_TAIL;
    const tail = tailIn(last.headers, last.streamSequence);
    if (!tail) throw new EventInvalid(`Message ${last.streamSequence} of ${this.#stream} was not appended by Millrace`);
    return tail;
  }

  follow(run: RunRef, from: ReadFrom = EMPTY_TAIL, signal?: AbortSignal): AsyncIterableIterator<RunEvent> {
    return followRun(this, this.#live, run, from, signal);
  }

  override join(run: RunRef, from: ReadFrom, options: JoinOptions): Promise<JoinedRun> {
    return joinRun(this, this.#live, run, from, options);
  }

  /** The ack, or undefined when somebody (perhaps we ourselves, unheard) has written behind the tail. */
  private async publish(
    event: RunEvent,
    bytes: Uint8Array,
    message: ConditionalMessage,
  ): Promise<StreamAck | undefined> {
    try {
      return await this.#publisher.publish(subjects.event(event), bytes, message);
    } catch (cause) {
      if (isWrongLastSequence(cause)) return undefined;
      const what = `Run ${event.runId}, ${event.kind}: stream ${this.#stream}`;
      if (isFull(cause)) throw new StoreFull(`${what} is full`, { cause });
      throw new StoreUnavailable(`${what} took no append (${String(cause)})`, { cause });
    }
  }

  /**
   * I3. An unreplicated stream checks the expected sequence before the message id, a replicated one the other way
   * round (server 2.15): a repeat arrives as a conflict or as a duplicate. Asked of the leader, since another replica
   * may not have it yet.
   */
  private async alreadyStored(run: RunRef, event: RunEvent, tail: Tail): Promise<Appended> {
    const behind = await this.#leader.next(subjects.run(run), tail.streamSequence + 1);
    if (behind) {
      const arrival = arrivalsOf(run, this.blobs)(behind);
      const stored = typeof arrival.event === 'function' ? await arrival.event() : arrival.event;
      if (stored.eventId === event.eventId) return { event: stored, tail: tailBehind(arrival, tail, stored) };
    }
    throw new RunLogConflict(`Run ${run.runId} has moved past position ${tail.position}`);
  }

  /** I4. 0 when nothing is. */
  private async known(run: RunRef, atLeast: AtLeast | undefined): Promise<number> {
    const told = atLeast === 'now' ? await this.#leader.newestPlace(subjects.run(run)) : (atLeast ?? 0);
    return Math.max(told, this.#written.of(run));
  }

  private async placeOf(run: RunRef, from: ReadFrom): Promise<number> {
    if ('streamSequence' in from) return from.streamSequence + 1;
    return 'position' in from
      ? seek(this.#reader, run, 'position', from.position)
      : seek(this.#reader, run, 'sequence', from.sequence);
  }
}

const PAGE = 1_000;

/** Whether the event lies before the place that was asked for. */
const isBefore = (event: RunEvent, from: ReadFrom): boolean => {
  if ('streamSequence' in from) return false;
  if ('position' in from) return event.position < from.position;
  return !('sequence' in event) || event.sequence === undefined || event.sequence < from.sequence;
};
