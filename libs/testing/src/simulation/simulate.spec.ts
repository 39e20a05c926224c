import { describe, expect, it } from '@jest/globals';
import { simulate } from './simulate.js';

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
