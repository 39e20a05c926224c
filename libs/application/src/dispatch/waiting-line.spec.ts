import { describe, expect, it } from '@jest/globals';
import { RunId, TenantId } from '@millrace/contracts';
import { type SavedLine, WaitingLine, type WaitingRun } from './waiting-line.js';

const tenantId = TenantId.parse('01JD0000000000000000000001');

const aRun = (number: number, isQueued = false): WaitingRun => ({
  ...{ tenantId, runId: RunId.parse(String(number).padStart(26, '0')), agent: 'echo' },
  ...{ isQueued, streamSequence: number },
});
const runs = (from: number, to: number): WaitingRun[] =>
  Array.from({ length: to - from + 1 }, (_, at) => aRun(from + at));

/** A line of so many runs, all of which have been told that they wait. */
const aLine = (count: number): WaitingLine => {
  const line = new WaitingLine();
  for (const run of runs(1, count)) line.join(run);
  for (const { runId } of [...line.unqueued()]) line.queued(runId);
  return line;
};

const saved = (line: WaitingLine): SavedLine => line.save(Infinity);

/** Numbers of the runs in the order they leave the line, as far as it is in memory. */
const served = (line: WaitingLine, most = Number.POSITIVE_INFINITY): number[] => {
  const numbers: number[] = [];
  for (let run = line.first; run && numbers.length < most; run = line.first) {
    numbers.push(run.streamSequence);
    line.leave(run.runId);
  }
  return numbers;
};

const numbers = (from: number, to: number): number[] => runs(from, to).map(({ streamSequence }) => streamSequence);

describe('A line of waiting runs', () => {
  it('keeps its front in memory and leaves the rest to the log, however many they are', () => {
    const { front, untold, left } = saved(aLine(10_000));
    expect(front.map(({ streamSequence }) => streamSequence)).toEqual(numbers(1, 64));
    expect(untold).toEqual([]);
    expect(left).toMatchObject({ from: 65, to: 10_000 });
  });

  it('asks for what it left to the log once its front is short, and serves all in their order', () => {
    const line = aLine(200);
    expect(line.wanted).toBeUndefined();
    expect(served(line, 49)).toEqual(numbers(1, 49));
    expect(line.wanted).toEqual({ places: numbers(65, 112) });
    line.refill(112, runs(65, 112));
    expect(line.wanted).toBeUndefined();
    expect(served(line)).toEqual(numbers(50, 112));
    expect(line.wanted).toEqual({ places: numbers(113, 160) });
    line.refill(160, runs(113, 160));
    expect(served(line)).toEqual(numbers(113, 160));
    line.refill(200, runs(161, 200));
    expect(served(line)).toEqual(numbers(161, 200));
    expect(line.isEmpty).toBe(true);
  });

  it('searches the log for requests of which it has only the range, once those before them are read', () => {
    const line = new WaitingLine();
    for (const run of runs(1, 64)) line.join(run);
    const restored = WaitingLine.from({ ...saved(line), left: { from: 70, to: 300 } }); // as older code saved it
    expect(served(restored, 60)).toEqual(numbers(1, 60));
    expect(restored.wanted).toEqual({ from: 70, to: 300 });
    restored.locate([70, 90], 200);
    expect(restored.wanted).toEqual({ places: [70, 90] });
    restored.refill(90, [aRun(70), aRun(90)]);
    expect(served(restored)).toEqual([61, 62, 63, 64, 70, 90]);
    expect(restored.wanted).toEqual({ from: 201, to: 300 });
    restored.locate([], 300);
    expect(restored.isEmpty).toBe(true);
  });

  it('lets nobody pass what it left to the log', () => {
    const line = aLine(100);
    line.join(aRun(101));
    expect(served(line)).toEqual(numbers(1, 64));
    line.refill(100, runs(65, 100));
    expect(served(line)).toEqual(numbers(65, 101));
  });

  it('forgets nobody who has not been told yet, nor anybody behind one', () => {
    const line = new WaitingLine();
    for (const run of runs(1, 67)) line.join(run);
    for (const { runId } of [aRun(65), aRun(67)]) line.queued(runId);
    expect(saved(line).left).toMatchObject({ from: 65, to: 65 });
    expect(saved(line).untold.map(({ streamSequence }) => streamSequence)).toEqual([66, 67]);
    line.queued(aRun(66).runId);
    expect(saved(line)).toMatchObject({ untold: [], left: { from: 65, to: 67 } });
  });

  it('is empty when nobody it left to the log still waits', () => {
    const line = aLine(100);
    served(line);
    line.refill(100, []);
    expect(line.isEmpty).toBe(true);
    line.join(aRun(101));
    expect(line.first).toMatchObject({ streamSequence: 101 });
  });

  it('goes on from what was saved', () => {
    const line = aLine(100);
    line.join(aRun(101));
    const copy = WaitingLine.from(JSON.parse(JSON.stringify(saved(line))) as SavedLine);
    expect(saved(copy)).toEqual(saved(line));
    expect(served(copy)).toEqual(numbers(1, 64));
    expect(copy.wanted).toEqual({ places: numbers(65, 100) });
  });

  it('takes a run only once', () => {
    const line = aLine(2);
    line.join(aRun(1));
    expect(served(line)).toEqual([1, 2]);
  });
});
