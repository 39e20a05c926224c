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
import { DirectReader, type StoredMessage } from './direct-reader.js';
import { eventHeaders, streamSequenceIn, tailIn } from './event-headers.js';
import { HistoryByFilter } from './history-by-filter.js';
import { HistoryByPlaces, type Indexed, IndexWrong, isIndexed } from './history-by-places.js';
import { type EventTexts, packEvent, unpackEvent } from './large-payloads.js';
import { LeaderReader } from './leader-reader.js';
import { LiveEvents } from './live-events.js';
import { LastWritten, ReplicaLag } from './replica-lag.js';
import { type Arrival, arrivalsOf, tailBehind } from './run-arrivals.js';
import { followRun, joinRun } from './run-follow.js';
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
  /** Of each event the text it is stored as is kept as long as the event: for a process that sends it on to clients. */
  readonly keepsTexts?: boolean;
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
  readonly #byFilter: HistoryByFilter;
  readonly #leader: LeaderReader;
  readonly #live: LiveEvents;
  readonly #written = new LastWritten();
  readonly #texts: EventTexts | undefined;

  constructor(
    private readonly nats: NatsConnection,
    private readonly blobs: BlobStore,
    private readonly options: RunLogOptions = {},
  ) {
    super();
    this.#publisher = new AcknowledgedPublisher(nats, options.appendTimeoutMs ?? 5_000);
    this.#reader = new DirectReader(options.replay ?? nats, this.#stream);
    this.#texts = options.keepsTexts ? new WeakMap() : undefined;
    this.#byFilter = new HistoryByFilter(this.#reader, blobs, this.#texts);
    this.#leader = new LeaderReader(nats, this.#stream);
    this.#live = new LiveEvents(nats, {
      lookEveryMs: options.lookEveryMs ?? 5_000,
      maxWaiting: options.maxWaiting ?? 1_000,
      decode: async (message, run) => {
        const event = await unpackEvent(message, run, this.blobs, this.#texts);
        return { event, streamSequence: streamSequenceIn(message.headers) };
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
    const place = 'streamSequence' in from ? from.streamSequence : 0;
    const known = Math.max(await this.known(run, atLeast), place); // I4
    const last = await this.lastOf(run, known);
    const end = last && this.endIn(run, last);
    if (last && !end) return this.#byFilter.read(run, from, { limit, known });
    try {
      return await this.readIndexed(run, from, limit, end);
    } catch (error) {
      if (!(error instanceof IndexWrong)) throw error;
      return this.#byFilter.read(run, from, { limit, known });
    }
  }

  /** Up to `end`; the history is empty without one. */
  private async readIndexed(run: RunRef, from: ReadFrom, limit: number, end: Indexed | undefined): Promise<RunPage> {
    let tail: Tail = 'streamSequence' in from ? from : EMPTY_TAIL;
    if (!end) return { events: [], tail, hasMore: false };
    const history = new HistoryByPlaces(this.#reader, run, this.arrivalsOf(run), end);
    const first = await firstIn(history, end, from);
    if (first > end.tail.position + 1) return { events: [], tail, hasMore: false };
    if (first > end.tail.position) return { events: [], tail: end.tail, hasMore: false };
    const last = Math.min(end.tail.position, first + limit - 1);
    const events: RunEvent[] = [];
    const pageFrom = (start: number) =>
      history.read({ first: start, last: Math.min(last, start + PAGE - 1) }, tail.streamSequence);
    for (let asked: Promise<Arrival[]> | undefined = pageFrom(first), next = first + PAGE; asked; next += PAGE) {
      const page: Arrival[] = await asked;
      // The next page is on its way while large payloads of this one are fetched.
      asked = next > last ? undefined : pageFrom(next);
      asked?.catch(() => {}); // seen when it is awaited
      for (const arrival of page) {
        const event = typeof arrival.event === 'function' ? await arrival.event() : arrival.event;
        events.push(event);
        tail = tailBehind(arrival, tail, event);
      }
    }
    return { events, tail, hasMore: last < end.tail.position };
  }

  async delivered(delivery: Delivery): Promise<Appended> {
    const { subject, data, place } = delivery;
    const about = parseSubject(subject);
    if (about?.type !== 'run') throw new EventInvalid(`${subject} is the subject of no event of a run`);
    const { headers } = delivery as JetStreamDelivery;
    const event = await unpackEvent({ data, headers }, about, this.blobs);
    const tail = tailIn(headers, place);
    if (!tail) throw new EventInvalid(`Message ${place} of ${this.#stream} was not appended by Millrace`);
    return { event, tail };
  }

  async tail(run: RunRef, { atLeast }: Pick<ReadOptions, 'atLeast'> = {}): Promise<Tail> {
    const last = await this.lastOf(run, await this.known(run, atLeast));
    if (!last) return EMPTY_TAIL;
    const tail = tailIn(last.headers, last.streamSequence);
    if (!tail) throw new EventInvalid(`Message ${last.streamSequence} of ${this.#stream} was not appended by Millrace`);
    return tail;
  }

  override textOf(event: RunEvent): string | undefined {
    return this.#texts?.get(event);
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
    const last = await this.#leader.last(subjects.run(run));
    if (last && last.streamSequence > tail.streamSequence) {
      const behind = await this.read(run, tail, { limit: 1, atLeast: last.streamSequence });
      const [stored] = behind.events;
      if (stored?.eventId === event.eventId) return { event: stored, tail: behind.tail };
    }
    throw new RunLogConflict(`Run ${run.runId} has moved past position ${tail.position}`);
  }

  /** I4. 0 when nothing is. */
  private async known(run: RunRef, atLeast: AtLeast | undefined): Promise<number> {
    const told = atLeast === 'now' ? await this.#leader.newestPlace(subjects.run(run)) : (atLeast ?? 0);
    return Math.max(told, this.#written.of(run));
  }

  /** I4. The newest message of the run, on a replica that has what is known. */
  private async lastOf(run: RunRef, known: number): Promise<StoredMessage | undefined> {
    const lag = new ReplicaLag(`Run ${run.runId}`, known);
    let last = await this.#reader.last(subjects.run(run));
    while ((await lag.missingAfter(last?.streamSequence)) !== undefined) {
      last = await this.#reader.last(subjects.run(run));
    }
    return last;
  }

  private arrivalsOf(run: RunRef): ReturnType<typeof arrivalsOf> {
    return arrivalsOf(run, this.blobs, this.#texts);
  }

  /** Undefined when it names no places: then what lies before it is found by a filter. */
  private endIn(run: RunRef, last: StoredMessage): Indexed | undefined {
    if (!tailIn(last.headers, last.streamSequence)?.places) return undefined;
    const arrival = this.arrivalsOf(run)(last);
    return isIndexed(arrival) ? arrival : undefined;
  }
}

const PAGE = 1_024;

const firstIn = async (history: HistoryByPlaces, { tail }: Indexed, from: ReadFrom): Promise<number> => {
  if ('streamSequence' in from) return from.position + 1;
  if ('position' in from) return from.position;
  const beyond = from.sequence - tail.sequence;
  return beyond > 0 ? tail.position + beyond : history.positionOf(from.sequence);
};
