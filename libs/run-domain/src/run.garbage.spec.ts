import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FACT_FIXTURES, isTerminal, RUN_EVENT_KINDS } from '@millrace/contracts';
import { aTask, confirmCancel, decideOrRefuse, failRun, playRun, raceRun, requestIdOf } from '@millrace/testing';
import { absent, decide, evolve, fold, hasEnded, openTools, type Run } from './index.js';

const keys = fc.constantFrom('1/plan', '2/write[0]', '__proto__');
const requestIds = fc.constantFrom(requestIdOf(5), requestIdOf(6));
const names = fc.constantFrom('plan', 'write', 'search', 'transfer_to_critic', 'default', 'careful');

/** Fields any fact may have; a fact takes those its kind knows. */
const fields = fc.record({
  taskKey: keys,
  key: keys,
  node: names,
  tool: names,
  fromPolicy: names,
  toPolicy: names,
  policy: names,
  attempt: fc.integer({ min: 1, max: 4 }),
  iteration: fc.nat(3),
  requestId: requestIds,
  requestIds: fc.array(requestIds, { minLength: 1, maxLength: 3 }),
  toolUseId: fc.constantFrom('t1', 't2', 'constructor'),
  callId: fc.constantFrom('c1', 'toString'),
  tasks: fc.array(
    keys.map((key) => ({ ...aTask(), key })),
    { minLength: 1, maxLength: 3 },
  ),
  input: fc.jsonValue(),
  output: fc.jsonValue(),
  value: fc.jsonValue(),
});

/** A valid fact of any kind that need not fit anything before it. */
const strayFact = fc.tuple(fc.constantFrom(...RUN_EVENT_KINDS), fields).map(([kind, stray]) => {
  const fixture = FACT_FIXTURES[kind];
  const known = Object.entries(stray).filter(([field]) => field in fixture);
  return { ...fixture, ...Object.fromEntries(known) };
});

const strayHistory = fc.array(strayFact, { maxLength: 80, size: 'max' });
const numbers = fc.array(fc.noBias(fc.nat()), { minLength: 200, maxLength: 1_000, size: 'max' });
const shuffledHistory = numbers.chain((choices) => {
  const { events } = raceRun(choices);
  return fc.shuffledSubarray([...events]);
});
/** Without its beginning nothing would come of it, so every second one begins as a run does. */
const brokenHistory = fc
  .limitShrink(fc.tuple(fc.boolean(), fc.oneof(strayHistory, shuffledHistory)), 1_000)
  .map(([isStray, history]) =>
    isStray ? history : [FACT_FIXTURES.RunRequested, FACT_FIXTURES.RunStarted, ...history],
  );

const played = fc.sample(numbers, { seed: 3, numRuns: 40 }).flatMap((choices) => playRun(choices));
const everyCommand = [...new Map(played.map(({ command }) => [JSON.stringify(command), command])).values()];

describe('a broken history', () => {
  it('can be folded, and every command is still answered or refused', () => {
    fc.assert(
      fc.property(brokenHistory, (history) => {
        const run = fold(history);
        for (const command of everyCommand) decideOrRefuse(command, run);
      }),
      { numRuns: 150 },
    );
  });

  it('can be brought to an end in which no tool is left unanswered', () => {
    fc.assert(
      fc.property(brokenHistory, (history) => {
        const run = fold([FACT_FIXTURES.RunRequested, ...history.filter((fact) => !isTerminal(fact))]);
        const facts = decide(run.status === 'CANCELED_REQUESTED' ? confirmCancel() : failRun(), run);
        const ended = facts.reduce(evolve, run);
        expect(facts.filter(isTerminal)).toEqual(facts.slice(-1));
        expect([hasEnded(ended), openTools(ended)]).toEqual([true, []]);
      }),
      { numRuns: 100 },
    );
  });

  it('ends at its first terminal event, whatever follows', () => {
    fc.assert(
      fc.property(brokenHistory, strayHistory, (history, late) => {
        const ended = fold([FACT_FIXTURES.RunRequested, ...history, FACT_FIXTURES.RunFailed]);
        expect(fold([FACT_FIXTURES.RunRequested, ...history, FACT_FIXTURES.RunFailed, ...late]).status).toBe(
          ended.status,
        );
        expect(['SUCCEEDED', 'FAILED', 'CANCELED']).toContain(ended.status);
      }),
      { numRuns: 100 },
    );
  });

  it('leaves the states it passed as they were', () => {
    fc.assert(
      fc.property(brokenHistory, (history) => {
        let run: Run = frozen(absent);
        for (const fact of history) run = frozen(evolve(run, frozen(fact)));
        for (const command of everyCommand) decideOrRefuse(command, run);
      }),
      { numRuns: 50 },
    );
  });
});

/** Whoever writes to it throws a TypeError. */
const frozen = <T>(value: T): T => {
  if (value !== null && typeof value === 'object' && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(frozen);
  }
  return value;
};
