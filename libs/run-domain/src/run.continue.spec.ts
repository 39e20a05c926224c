import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { RunFact } from '@millrace/contracts';
import { playRun, type PlayedOrder } from '@millrace/testing';
import { absent, decide, evolve, fold, isRepeatable, type Run, type RunCommand } from './index.js';

const choices = fc.array(fc.noBias(fc.nat()), { maxLength: 1_000, size: 'max' });
const stories = fc.limitShrink(choices, 1_000).map(playRun);

const factsOf = (orders: readonly PlayedOrder[]): RunFact[] => orders.flatMap(({ facts }) => facts);

/** What a handler appends: one fact at a time, deciding again while there were more. */
const carryOut = (command: RunCommand, run: Run): RunFact[] => {
  const [fact, ...more] = decide(command, run);
  if (!fact) return [];
  return more.length === 0 ? [fact] : [fact, ...carryOut(command, evolve(run, fact))];
};

/**
 * The history cut after so many facts and continued: everybody whose order was not done sends it again, and so does
 * the author of the last fact, who may not know that it was stored.
 */
const continued = (orders: readonly PlayedOrder[], cut: number): RunFact[] => {
  const history = factsOf(orders).slice(0, cut);
  let run = fold(history);
  let end = 0;
  for (const { command, facts } of orders) {
    end += facts.length;
    const isDone = end < cut || (end === cut && facts.length > 0 && !isRepeatable(command));
    if (isDone) continue;
    for (const fact of carryOut(command, run)) {
      history.push(fact);
      run = evolve(run, fact);
    }
  }
  return history;
};

describe('a run that was cut', () => {
  it('continues to the same end from every one of its facts', () => {
    fc.assert(
      fc.property(stories, (orders) => {
        const whole = factsOf(orders);
        const differs = [...whole.keys(), whole.length].filter(
          (cut) => !isDeepStrictEqual(continued(orders, cut), whole),
        );
        expect(differs).toEqual([]);
      }),
      { numRuns: 80 },
    );
  });
});

describe('an order that was carried out', () => {
  it('adds nothing when it is repeatable and comes again, and is one fact when it is not', () => {
    fc.assert(
      fc.property(stories, (orders) => {
        let run = absent;
        for (const { command, facts } of orders) {
          run = facts.reduce(evolve, run);
          if (isRepeatable(command)) expect(decide(command, run)).toEqual([]);
          else expect(facts).toHaveLength(1);
        }
      }),
      { numRuns: 80 },
    );
  });

  it('is often several facts, which the cuts above come between', () => {
    const played = fc.sample(stories, { seed: 7, numRuns: 100 }).flat();
    expect(played.filter(({ facts }) => facts.length > 1).length).toBeGreaterThan(50);
    expect(new Set(played.map(({ command }) => command.kind)).size).toBe(24);
  });
});
