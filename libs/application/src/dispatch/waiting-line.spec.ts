import { describe, expect, it } from '@jest/globals';
import { RunId, TenantId } from '@millrace/contracts';
import { WaitingLine, type WaitingRun } from './waiting-line.js';

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
    const { front, untold, left } = aLine(10_000).saved;
    expect(front.map(({ streamSequence }) => streamSequence)).toEqual(numbers(1, 64));
    expect(untold).toEqual([]);
    expect(left).toEqual({ from: 65, to: 10_000 });
  });

  it('asks for what it left to the log once its front is short, and serves all in their order', () => {
    const line = aLine(200);
    expect(line.wanted).toBeUndefined();
    expect(served(line, 49)).toEqual(numbers(1, 49));
    expect(line.wanted).toEqual({ from: 65, to: 200 });
    line.refill(150, runs(65, 150));
    expect(line.wanted).toBeUndefined();
    expect(served(line)).toEqual(numbers(50, 150));
    expect(line.wanted).toEqual({ from: 151, to: 200 });
    line.refill(200, runs(151, 200));
    expect(served(line)).toEqual(numbers(151, 200));
    expect(line.isEmpty).toBe(true);
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
    expect(line.saved.left).toEqual({ from: 65, to: 65 });
    expect(line.saved.untold.map(({ streamSequence }) => streamSequence)).toEqual([66, 67]);
    line.queued(aRun(66).runId);
    expect(line.saved).toMatchObject({ untold: [], left: { from: 65, to: 67 } });
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
    const copy = WaitingLine.from(JSON.parse(JSON.stringify(line.saved)) as typeof line.saved);
    expect(copy.saved).toEqual(line.saved);
    expect(served(copy)).toEqual(numbers(1, 64));
    expect(copy.wanted).toEqual({ from: 65, to: 100 });
  });

  it('takes a run only once', () => {
    const line = aLine(2);
    line.join(aRun(1));
    expect(served(line)).toEqual([1, 2]);
  });
});
