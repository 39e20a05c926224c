import { now } from './stopwatch.js';

type Work = () => Promise<unknown>;

/** Does the work `count` times, `atOnce` at the same time; each lane begins the next one when its last is done. */
export async function inLanes(atOnce: number, count: number, work: Work): Promise<void> {
  let left = count;
  await whileIn(atOnce, () => left-- > 0, work);
}

/** Does the work over and over, `atOnce` at the same time, until the time is up. Resolves with how long each took, in ms. */
export async function inLanesFor(forMs: number, atOnce: number, work: Work): Promise<Lap> {
  const times: number[] = [];
  const begun = now();
  const isTimeLeft = () => now() - begun < forMs;
  await whileIn(atOnce, isTimeLeft, async () => {
    const from = now();
    await work();
    times.push(now() - from);
  });
  return { times, perSecond: (times.length * 1_000) / (now() - begun) };
}

export interface Lap {
  readonly times: readonly number[];
  readonly perSecond: number;
}

async function whileIn(atOnce: number, goesOn: () => boolean, work: Work): Promise<void> {
  const lane = async () => {
    while (goesOn()) await work();
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}
