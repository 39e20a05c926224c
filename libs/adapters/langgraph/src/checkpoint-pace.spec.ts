import { eventFixture } from '@millrace/contracts';
import { describe, expect, it } from '@jest/globals';
import { CheckpointPace, geometric } from './checkpoint-pace.js';

const dueUpTo = (pace: CheckpointPace, last: number): number[] =>
  Array.from({ length: last + 1 }, (_, step) => step).filter((step) => pace.isDue(step));

describe('checkpoints', () => {
  it('are at least 20 steps apart, and half of the way so far', () => {
    expect(dueUpTo(new CheckpointPace(geometric, 0, 1_000), 300)).toEqual([20, 40, 60, 90, 135, 203]);
  });

  it('go on from the last one in the log', () => {
    const history = [eventFixture('RunStarted'), { ...eventFixture('CheckpointSaved'), iteration: 60 }];
    expect(dueUpTo(CheckpointPace.after(history, geometric, 1_000), 100)).toEqual([90]);
  });

  it('are not made where too few steps are left to start again', () => {
    expect(dueUpTo(new CheckpointPace(geometric, 0, 30), 100)).toEqual([20]);
  });
});
