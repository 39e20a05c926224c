import type { RunEvent, RunRef } from '@millrace/contracts';
import {
  advance,
  type Appended,
  EMPTY_TAIL,
  type EventDraft,
  type ReadFrom,
  type ReadOptions,
  RunLog,
  RunLogConflict,
  type RunPage,
  stampEvent,
  type Tail,
} from '@millrace/ports';

interface Stored {
  readonly text: string;
  readonly event: RunEvent;
  readonly tail: Tail;
}

/** A log for fast tests: the rules of the real one, the life of the process. */
export class InMemoryRunLog extends RunLog {
  readonly #runs = new Map<string, Stored[]>();
  readonly #sleepers = new Set<() => void>();
  #streamSequence = 0;

  async append(run: RunRef, draft: EventDraft, tail: Tail): Promise<Appended> {
    const { event, text } = stampEvent(run, draft, tail);
    const history = this.history(run);
    const behind = history.find((stored) => stored.tail.streamSequence > tail.streamSequence);
    if (behind?.event.eventId === event.eventId) return { event: read(behind), tail: behind.tail };
    if (behind || (history.at(-1)?.tail ?? EMPTY_TAIL).streamSequence !== tail.streamSequence) {
      throw new RunLogConflict(`Run ${run.runId} has moved past position ${tail.position}`);
    }
    if (history.some((stored) => stored.event.eventId === event.eventId)) {
      throw new RunLogConflict(`Run ${run.runId} has event ${event.eventId} already`);
    }
    const stored = { text, event, tail: advance(tail, event, (this.#streamSequence += 1)) };
    this.#runs.set(keyOf(run), [...history, stored]);
    for (const wake of this.#sleepers) wake();
    return { event, tail: stored.tail };
  }

  async read(
    run: RunRef,
    from: ReadFrom = EMPTY_TAIL,
    { limit = Number.POSITIVE_INFINITY }: ReadOptions = {},
  ): Promise<RunPage> {
    const history = this.history(run);
    const found = history.findIndex((stored) => isAtOrAfter(stored, from));
    const start = found < 0 ? history.length : found;
    const page = history.slice(start, start + limit);
    const before = 'streamSequence' in from ? from : (history[start - 1]?.tail ?? EMPTY_TAIL);
    return {
      events: page.map(read),
      tail: page.at(-1)?.tail ?? before,
      hasMore: start + page.length < history.length,
    };
  }

  async tail(run: RunRef): Promise<Tail> {
    return this.history(run).at(-1)?.tail ?? EMPTY_TAIL;
  }

  async *follow(
    run: RunRef,
    from: ReadFrom = EMPTY_TAIL,
    signal?: AbortSignal,
  ): AsyncGenerator<RunEvent, void, undefined> {
    let last: ReadFrom = from;
    while (!signal?.aborted) {
      const seen = this.#streamSequence;
      const { events, tail } = await this.read(run, last);
      if (events.length > 0) last = tail;
      for (const event of events) {
        yield event;
        if (signal?.aborted) return;
      }
      if (events.length === 0) await this.change(seen, signal);
    }
  }

  private history(run: RunRef): Stored[] {
    return this.#runs.get(keyOf(run)) ?? [];
  }

  private async change(seen: number, signal: AbortSignal | undefined): Promise<void> {
    if (this.#streamSequence !== seen) return; // something was stored while the reader read
    let wake = () => {};
    await new Promise<void>((resolve) => {
      wake = resolve;
      this.#sleepers.add(wake);
      signal?.addEventListener('abort', wake);
    });
    this.#sleepers.delete(wake);
    signal?.removeEventListener('abort', wake);
  }
}

/** From the text, so that nobody changes history through an object it was handed. */
const read = ({ text }: Stored): RunEvent => JSON.parse(text) as RunEvent;

const keyOf = ({ tenantId, runId }: RunRef): string => `${tenantId}/${runId}`;

const isAtOrAfter = ({ event, tail }: Stored, from: ReadFrom): boolean => {
  if ('streamSequence' in from) return tail.streamSequence > from.streamSequence;
  return 'position' in from ? event.position >= from.position : tail.sequence >= from.sequence;
};
