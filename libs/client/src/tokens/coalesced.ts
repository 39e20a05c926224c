import type { PublicEvent } from '@millrace/contracts';
import { DeltaBuffer } from './token-deltas.js';

export interface CoalesceOptions {
  readonly everyMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export const USUAL_EVERY_MS = 75;

const DUE = Symbol('due');

/**
 * The events with token deltas merged in time: the first delta is held back for `everyMs` at most, counted from itself.
 * (Counted from the last one, a model that never pauses would never be shown.) Any other event lets it out at once, and
 * so does the end, an error included.
 */
export async function* coalesced(
  open: (signal: AbortSignal) => AsyncGenerator<PublicEvent>,
  { everyMs = USUAL_EVERY_MS, signal }: CoalesceOptions = {},
): AsyncGenerator<PublicEvent> {
  const stop = new AbortController();
  const events = open(signal ? AbortSignal.any([signal, stop.signal]) : stop.signal);
  const buffer = new DeltaBuffer();
  const clock = new Countdown(everyMs);
  let next: Promise<IteratorResult<PublicEvent>> | undefined;
  try {
    for (;;) {
      next ??= events.next();
      const got = await Promise.race([next, ...clock.running]);
      if (got === DUE) {
        next.catch(() => undefined); // it is awaited above, but a reader may hold us up until after it failed
        clock.stop();
        yield* buffer.flush();
        continue;
      }
      next = undefined;
      if (got.done) break;
      const ready = buffer.take(got.value);
      if (buffer.isEmpty || ready.length > 0) clock.stop();
      if (!buffer.isEmpty) clock.start();
      yield* ready;
    }
    yield* buffer.flush();
  } catch (error) {
    yield* buffer.flush();
    throw error;
  } finally {
    clock.stop();
    stop.abort(); // a read that is under way would keep return() waiting for the next event
    await events.return(undefined);
  }
}

class Countdown {
  running: [] | [Promise<typeof DUE>] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly afterMs: number) {}

  start(): void {
    if (this.running.length > 0) return;
    this.running = [
      new Promise((resolve) => {
        this.#timer = setTimeout(resolve, this.afterMs, DUE);
      }),
    ];
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.running = [];
  }
}
