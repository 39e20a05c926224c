import { expect } from '@jest/globals';
import { isTerminal, type RunEvent } from '@millrace/contracts';

/** What must hold of every run, whatever was killed meanwhile. */
export function expectSoundStory(events: readonly RunEvent[]): void {
  expect(events.map(({ position }) => position)).toEqual(events.map((_, index) => index));
  const sequences = events.flatMap((event) =>
    'sequence' in event && event.sequence !== undefined ? [event.sequence] : [],
  );
  expect(sequences).toEqual(sequences.map((_, index) => index));
  expect(events.filter(isTerminal)).toHaveLength(1);
  expect(isTerminal(events.at(-1)!)).toBe(true);
  expectOnce(events.flatMap((event) => (event.kind === 'NodeFinished' ? [event.taskKey] : [])));
  expectOnce(events.flatMap((event) => (event.kind === 'ModelResponded' ? [event.callId] : [])));
  expectOnce(events.flatMap((event) => (event.kind === 'EffectRecorded' ? [`${event.taskKey} ${event.key}`] : [])));
  const asked = events.flatMap((event) => (event.kind === 'ToolRequested' ? [event.toolUseId] : []));
  const answered = events.flatMap((event) => (event.kind === 'ToolFinished' ? [event.toolUseId] : []));
  expectOnce(asked);
  expect(answered.sort()).toEqual(asked.sort());
  expectFenced(events);
}

const expectOnce = (names: readonly string[]): void => expect(names).toEqual([...new Set(names)]);

/** Nothing is said by an attempt once a later one has started. */
function expectFenced(events: readonly RunEvent[]): void {
  const attempts = new Map<string, number>();
  for (const event of events) {
    if (!('taskKey' in event)) continue;
    const newest = attempts.get(event.taskKey) ?? 0;
    expect(event.attempt).toBeGreaterThanOrEqual(newest);
    if (event.kind === 'NodeStarted') attempts.set(event.taskKey, event.attempt);
  }
}

/** After a step's effect is in the log, no later attempt has done it again. */
export function expectNotRedone(events: readonly RunEvent[], ledger: readonly string[]): void {
  for (const event of events) {
    if (event.kind !== 'EffectRecorded') continue;
    const attempts = ledger
      .map((line) => line.split(' '))
      .filter(([runId, taskKey]) => runId === event.runId && taskKey === event.taskKey)
      .map(([, , attempt]) => Number(attempt));
    expect(attempts.length).toBeGreaterThan(0);
    expect(Math.max(...attempts)).toBeLessThanOrEqual(event.attempt);
  }
}
