import { EventInvalid, type RunEvent, type RunRef } from '@millrace/contracts';
import {
  advance,
  type AtLeast,
  type JoinedRun,
  type JoinOptions,
  type ReadFrom,
  type RunLog,
  type Tail,
} from '@millrace/ports';
import { PlatformError } from '@millrace/kernel';
import { setTimeout as pause } from 'node:timers/promises';
import type { LiveEvents, LiveListener } from './live-events.js';

const PAGE = 500;
const LONGEST_PAUSE_MS = 2_000;

/**
 * I1  Listening begins before the history is read: what is stored meanwhile waits in the listener.
 * I2  An event is passed on only when its position follows the last one's. An older one was read from the log already;
 *     a later one means that some were lost, and the log is read again from the last.
 * I3  A read goes at least as far as what was heard or seen before it, the first one as far as there is anything: what
 *     was stored before the listener listened, and has not come to every replica, is told by no live message.
 * I4  What the store cannot give now is asked for again until it can; only what is no event ends the reading.
 */
export async function* followRun(
  log: RunLog,
  live: LiveEvents,
  run: RunRef,
  from: ReadFrom,
  signal?: AbortSignal,
): AsyncGenerator<RunEvent, void, undefined> {
  const listener = await persist(() => live.join(run, signal), signal); // I1
  if (listener) yield* behind({ log, run, listener, signal }, from);
}

/** A page, and what is stored behind it: read once, since listening began before it was (I1). */
export async function joinRun(
  log: RunLog,
  live: LiveEvents,
  run: RunRef,
  from: ReadFrom,
  { limit, signal }: JoinOptions,
): Promise<JoinedRun> {
  const listener = await live.join(run, signal); // I1
  try {
    const page = await log.read(run, from, { limit, atLeast: 'now' }); // I3
    const heard = page.hasMore || page.tail.position < 0 ? undefined : page.tail;
    const start = page.tail.position < 0 ? from : page.tail;
    return {
      page,
      follow: () => behind({ log, run, listener, signal }, start, heard),
      leave: () => listener.leave(),
    };
  } catch (error) {
    listener.leave();
    throw error;
  }
}

interface Following {
  readonly log: RunLog;
  readonly run: RunRef;
  readonly listener: LiveListener;
  readonly signal: AbortSignal | undefined;
}

/** `last` is where the history that was read so far ends; without it there is more to read first. */
async function* behind(
  { log, run, listener, signal }: Following,
  from: ReadFrom,
  last?: Tail,
): AsyncGenerator<RunEvent, void, undefined> {
  try {
    let isRead = last !== undefined;
    let atLeast: AtLeast = 'now'; // I3
    for (;;) {
      if (!isRead) {
        const start = last ?? from;
        const page = await persist(() => log.read(run, start, { limit: PAGE, atLeast }), signal);
        if (!page || signal?.aborted) return;
        for (const event of page.events) {
          yield event;
          if (signal?.aborted) return;
        }
        if (page.events.length > 0 || 'streamSequence' in start) last = page.tail;
        if (page.hasMore) continue;
        atLeast = last?.streamSequence ?? 'now';
        if (last === undefined) {
          // The place asked for is not there yet: wait until the history has grown, then look for it again.
          if (!(await anything(listener))) return;
          continue;
        }
      }
      isRead = false;
      for (;;) {
        const heard = await listener.next();
        if (heard === undefined) return;
        const known: Tail = last!;
        if (heard === 'look') {
          const tail = await persist(() => log.tail(run), signal);
          if (!tail) return;
          if (tail.position <= known.position) continue;
          atLeast = tail.streamSequence;
          break;
        }
        const { event, streamSequence } = heard;
        if (event.position <= known.position) continue; // I2
        atLeast = streamSequence;
        if (event.position > known.position + 1) break; // I2
        last = advance(known, event, streamSequence);
        yield event;
        if (signal?.aborted) return;
      }
    }
  } finally {
    listener.leave();
  }
}

const anything = async (listener: LiveListener): Promise<boolean> => (await listener.next()) !== undefined;

/** I4 */
async function persist<T>(attempt: () => Promise<T>, signal: AbortSignal | undefined): Promise<T | undefined> {
  for (let pauseMs = 50; !signal?.aborted; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    try {
      return await attempt();
    } catch (error) {
      if (error instanceof EventInvalid || !(error instanceof PlatformError) || error.redelivery !== 'retry')
        throw error;
      await pause(pauseMs);
    }
  }
  return undefined;
}
