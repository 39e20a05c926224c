import { EventInvalid, type RunEvent, type RunRef, subjects } from '@millrace/contracts';
import {
  advance,
  type Appended,
  type AtLeast,
  type Delivery,
  EMPTY_TAIL,
  type EventDraft,
  type ReadFrom,
  type ReadOptions,
  RunLog,
  RunLogConflict,
  type RunPage,
  type StampedEvent,
  stampEvent,
  StoreUnavailable,
  type Tail,
} from '@millrace/ports';
import { Arrivals } from './arrivals.js';
import { LastWritten } from './last-written.js';
import { keyOf } from './memory-store.js';
import { countWhile, type StoredMessage } from './memory-stream.js';
import { plainParts, type ProcessParts } from './process-parts.js';
import { frozen, runEventOf, storedBy, storedUntil, tailBehind, tailOf } from './stored-events.js';
import type { ReplicaRead } from './wire.js';

const AGAIN_MS = 200;

/** The rules of the real log. Appends are judged on the truth, and reads answered by a replica. */
export class InMemoryRunLog extends RunLog {
  readonly #written: LastWritten;

  constructor(private readonly parts: ProcessParts = plainParts()) {
    super();
    this.#written = new LastWritten(() => parts.wire.time.nowMs());
  }

  async append(run: RunRef, draft: EventDraft, tail: Tail): Promise<Appended> {
    const stamped = stampEvent(run, draft, tail);
    const appended = await this.parts.wire.ask('write', () => this.store(run, stamped, tail));
    this.#written.note(run, appended.tail.streamSequence);
    return appended;
  }

  read(run: RunRef, from: ReadFrom = EMPTY_TAIL, { limit, atLeast }: ReadOptions = {}): Promise<RunPage> {
    const page = (history: readonly StoredMessage[]) => pageOf(history, from, limit);
    return this.parts.wire.look(this.replicaRead(run, atLeast, page));
  }

  async delivered({ place }: Delivery): Promise<Appended> {
    const stored = this.parts.store.runs.at(place);
    if (!stored?.stored?.tail) throw new EventInvalid(`Message ${place} was not appended by Millrace`);
    return { event: runEventOf(stored), tail: stored.stored.tail };
  }

  tail(run: RunRef, { atLeast }: Pick<ReadOptions, 'atLeast'> = {}): Promise<Tail> {
    return this.parts.wire.look(this.replicaRead(run, atLeast, tailOf));
  }

  /** Word of an event only says that there is something to read, and how far a read must go at least. */
  async *follow(
    run: RunRef,
    from: ReadFrom = EMPTY_TAIL,
    signal?: AbortSignal,
  ): AsyncGenerator<RunEvent, void, undefined> {
    if (signal?.aborted) return;
    const { store, wire } = this.parts;
    const arrivals = new Arrivals(wire, { stream: store.runs, key: keyOf.run(run), signal });
    try {
      let last = from;
      let read = 0;
      for (let atLeast: AtLeast | undefined = 'now'; atLeast !== undefined;) {
        const { events, tail } = await this.surely(run, last, atLeast);
        if (events.length > 0) last = tail;
        for (const event of events) {
          if (signal?.aborted) return;
          yield event;
        }
        read = Math.max(read, tail.streamSequence, typeof atLeast === 'number' ? atLeast : 0);
        atLeast = await arrivals.behind(read);
      }
    } finally {
      arrivals.close();
    }
  }

  /** What a follower cannot be given now is asked for again. */
  private async surely(run: RunRef, from: ReadFrom, atLeast: AtLeast): Promise<RunPage> {
    for (;;) {
      try {
        return await this.read(run, from, { atLeast });
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error;
        await this.parts.wire.pause(AGAIN_MS);
      }
    }
  }

  private store(run: RunRef, { event, text }: StampedEvent, tail: Tail): Appended {
    const stream = this.parts.store.runs;
    const history = stream.of(keyOf.run(run));
    const behind = history[countWhile(history, ({ place }) => place <= tail.streamSequence)];
    if (behind && runEventOf(behind).eventId === event.eventId) {
      return { event: runEventOf(behind), tail: tailBehind(behind, tail) };
    }
    if (behind || (history.at(-1)?.place ?? 0) !== tail.streamSequence) {
      throw new RunLogConflict(`Run ${run.runId} has moved past position ${tail.position}`);
    }
    if (stream.known(event.eventId)) throw new RunLogConflict(`Run ${run.runId} has event ${event.eventId} already`);
    const next = advance(tail, event, stream.lastPlace + 1);
    const stored = { event: frozen(event), tail: next };
    stream.store({ subject: subjects.event(event), data: text, id: event.eventId, stored });
    return stored;
  }

  private replicaRead<T>(
    run: RunRef,
    atLeast: AtLeast | undefined,
    read: (history: readonly StoredMessage[]) => T,
  ): ReplicaRead<T> {
    const history = () => this.parts.store.runs.of(keyOf.run(run));
    const told = () => (atLeast === 'now' ? (history().at(-1)?.place ?? 0) : (atLeast ?? 0));
    return {
      what: `Run ${run.runId}`,
      known: () => Math.max(told(), this.#written.of(run)),
      storedBy: (place) => storedBy(history(), place),
      read: (untilMs) => read(storedUntil(history(), untilMs)),
    };
  }
}

const pageOf = (history: readonly StoredMessage[], from: ReadFrom, limit = Number.POSITIVE_INFINITY): RunPage => {
  const start = countWhile(history, (message) => isBefore(message, from));
  const page = history.slice(start, start + limit);
  let tail = 'streamSequence' in from ? from : start === 0 ? EMPTY_TAIL : tailOf(history.slice(0, start));
  const events = page.map((message) => {
    tail = tailBehind(message, tail);
    return runEventOf(message);
  });
  return { events, tail, hasMore: start + page.length < history.length };
};

const isBefore = (message: StoredMessage, from: ReadFrom): boolean => {
  if ('streamSequence' in from) return message.place <= from.streamSequence;
  if ('position' in from) return runEventOf(message).position < from.position;
  return (message.stored?.tail?.sequence ?? -1) < from.sequence;
};
