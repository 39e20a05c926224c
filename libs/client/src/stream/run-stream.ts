import { firstSequenceOf, isTerminal, type PublicEvent } from '@millrace/contracts/browser';
import type { Transport } from '../http/transport.js';
import { coalesced } from '../tokens/coalesced.js';
import { type Backfill, readGap } from './backfill.js';
import { isForClients, parseEvent } from './public-event.js';
import { type Followed, type FollowOptions, followSse } from './sse-follow.js';
import type { SseFrame } from '../sse/sse-parser.js';

export interface StreamRunOptions extends FollowOptions {
  /** The first event wanted; 0, the run's first, by default. */
  readonly fromSeq?: number | undefined;
  /** Adjacent token deltas come as one, at most so often: every 75 ms, or as often as said. */
  readonly coalesce?: boolean | { readonly everyMs: number } | undefined;
  /** Missing events were found and are about to be read. */
  readonly onGap?: ((gap: { readonly fromSeq: number; readonly toSeq: number }) => void) | undefined;
}

export interface RunSource {
  readonly transport: Transport;
  readonly path: string;
  readonly backfill: Backfill;
}

/** A run's public events, each once and in order, from the one wanted to the terminal one. */
export function streamRun(source: RunSource, options: StreamRunOptions = {}): AsyncGenerator<PublicEvent> {
  const { coalesce, signal } = options;
  const open = (until?: AbortSignal) => {
    const own = { ...options, signal: until };
    return followSse(source.transport, new RunReader(source, own), own);
  };
  if (!coalesce) return open(signal);
  return coalesced(open, { signal, everyMs: coalesce === true ? undefined : coalesce.everyMs });
}

/**
 * I1  Events are given out in the order of their sequence, without gap and without repeat.
 * I2  `expected` moves only behind what was given out: a connection that dies costs nothing.
 * I3  What is not for clients is not given out, whatever the server sent.
 */
class RunReader implements Followed<PublicEvent> {
  readonly path: string;
  #expected: number;
  #isOver = false;

  constructor(
    private readonly source: RunSource,
    private readonly options: StreamRunOptions,
  ) {
    this.path = source.path;
    this.#expected = options.fromSeq ?? 0;
  }

  query = () => ({ fromSeq: this.#expected });
  progress = () => this.#expected;
  isOver = () => this.#isOver;

  async *read(frame: SseFrame): AsyncGenerator<PublicEvent> {
    if (frame.event !== 'message') return; // of a newer server
    const event = parseEvent(frame.data);
    if (!event || event.sequence < this.#expected) return; // I1: it was here before
    for await (const next of this.#upTo(event)) {
      if (isForClients(next)) yield next; // I3
      this.#expected = next.sequence + 1; // I2
      this.#isOver ||= isTerminal(next);
    }
  }

  /** The event, and before it those that are missing. */
  async *#upTo(event: PublicEvent): AsyncGenerator<PublicEvent> {
    const expected = this.#expected;
    const first = firstSequenceOf(event);
    if (first !== expected) {
      // Of deltas merged for a slow reader some may be here already: then all of them are read one by one.
      const gap = { fromSeq: expected, toSeq: first < expected ? event.sequence : first - 1 };
      this.options.onGap?.(gap);
      yield* readGap(this.source.backfill, gap, this.options.signal);
    }
    if (first >= expected) yield event;
  }
}
