import type { RunRef } from '@millrace/contracts';
import { subjects } from '@millrace/contracts';
import type { Tail } from '@millrace/ports';
import type { DirectReader, StoredMessage } from './direct-reader.js';
import { tailIn } from './event-headers.js';

export type Counter = 'position' | 'sequence';

/** Close enough: reading this many events costs less than another look. */
export const NEAR = 128;

/**
 * A place in the stream from which the run's event number `target` is at most a few events away, never behind it.
 * The run's events lie between those of other runs, so their places are not known; but both counters only rise and
 * stand in every message's header. So we guess by proportion between two known messages, look, and halve the rest
 * when the guess was poor. Nothing before the place is read.
 */
export async function seek(reader: DirectReader, run: RunRef, counter: Counter, target: number): Promise<number> {
  if (target <= NEAR) return 1;
  const filter = subjects.run(run);
  const [first, last] = await Promise.all([reader.next(filter, 1), reader.last(filter)]);
  let low = markOf(first);
  let high = markOf(last);
  if (!low || !high) return 1;
  if (high[counter] < target) return high.streamSequence + 1;
  for (let look = 0; low[counter] < target && high[counter] - low[counter] > NEAR; look += 1) {
    const found = markOf(await reader.next(filter, guess(low, high, counter, target, look)));
    if (!found || found.streamSequence >= high.streamSequence) break;
    if (found[counter] < target) low = found;
    else high = found;
  }
  return low[counter] < target ? low.streamSequence : 1;
}

/** Proportion at first; every third look halves, so that a run in bursts is found in a few looks as well. */
function guess(low: Tail, high: Tail, counter: Counter, target: number, look: number): number {
  const span = high.streamSequence - low.streamSequence;
  // A little before the proportion: a message before the target is as good as the target itself.
  const wanted = Math.max(target - NEAR / 2 - low[counter], 0);
  const share = look % 3 === 2 ? 0.5 : wanted / (high[counter] - low[counter]);
  return low.streamSequence + Math.min(Math.max(Math.floor(span * share), 1), span - 1);
}

const markOf = (message: StoredMessage | undefined): Tail | undefined =>
  message && tailIn(message.headers, message.streamSequence);
