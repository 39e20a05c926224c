import { describe, expect, it } from '@jest/globals';
import type { Dispatcher } from '@millrace/application';
import type { RunLog } from '@millrace/ports';
import { simulate, type SimulationOptions } from './simulate.js';

/** `npm run simulate` plays as many as it is asked for. */
const SEEDS = 300;

describe('The whole platform, simulated', () => {
  it(`keeps every law under ${SEEDS} seeds, and needs no second net`, async () => {
    let ended = 0;
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const { findings, runs } = await simulate(seed);
      expect({ seed, findings }).toEqual({ seed, findings: [] });
      ended += runs;
    }
    expect(ended).toBeGreaterThan(2 * SEEDS);
  }, 300_000);

  it('tells the same story of the same seed, to the last byte', async () => {
    const [one, again, other] = [await simulate(7), await simulate(7), await simulate(8)];
    expect(again).toEqual(one);
    expect(other.fingerprint).not.toBe(one.fingerprint);
  });
});

/** Among 12,500 these found something once: a run queued for ever, a branch begun twice, a worker that failed to stop. */
const MENDED = [1_768, 3_112, 7_604, 9_419, 9_755, 11_274];

describe('A seed that has found something', () => {
  it.each(MENDED)(
    'finds nothing any more: %i',
    async (seed) => {
      expect((await simulate(seed)).findings).toEqual([]);
    },
    60_000,
  );
});

describe('A simulation finds', () => {
  /** What the first of some seeds finds that finds anything. */
  const firstFindings = async (options: SimulationOptions): Promise<readonly string[]> => {
    for (let seed = 1; seed <= 60; seed += 1) {
      const { findings } = await simulate(seed, { ...options, mostMs: 120_000 });
      if (findings.length > 0) return findings;
    }
    return [];
  };

  it('runs that stand still when a read may be older than the event its reader was told of', async () => {
    const lag = { chance: 0.8, mostMs: 3_000 };
    expect(await firstFindings({ lag })).toEqual([]);
    const found = await firstFindings({ lag, variant: { runs: forgetful } });
    expect(found).toContainEqual(expect.stringMatching(/stood still until the sweep woke it|has not ended/));
  }, 120_000);

  it('that no run starts any more when one that cannot be started stops the dispatcher', async () => {
    const poisoned = 1;
    expect(await firstFindings({ poisoned })).toEqual([]);
    const found = await firstFindings({ poisoned, variant: { dispatcher: stoppedByOne } });
    expect(found).toContainEqual(expect.stringContaining('it has not ended: RunRequested'));
  }, 120_000);
});

/** A log as it was: whatever its reader was told of, it answers from the replica at hand. */
const forgetful = (log: RunLog): RunLog =>
  new Proxy(log, {
    get(target, name) {
      if (name === 'read')
        return (...[run, from, options]: Parameters<RunLog['read']>) =>
          target.read(run, from, { limit: options?.limit });
      if (name === 'tail') return (run: Parameters<RunLog['tail']>[0]) => target.tail(run);
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });

/** A dispatcher as it was: what fails for one run leaves its loop. */
const stoppedByOne = (dispatcher: Dispatcher): Dispatcher => {
  const isGivenUp = async (_run: unknown, cause: unknown) => {
    throw cause;
  };
  Object.assign(dispatcher, { isGivenUp });
  return dispatcher;
};
