import { describe, expect, it } from '@jest/globals';
import { RunStatus, threadStatusOf, ThreadRunStatus } from './run-status.js';

describe('the status of a run in the thread dialect', () => {
  it.each<[RunStatus, ThreadRunStatus]>([
    ['PENDING', 'queued'],
    ['QUEUED', 'queued'],
    ['DISPATCHED', 'running'],
    ['RUNNING', 'running'],
    ['PAUSED', 'running'],
    ['CANCELED_REQUESTED', 'running'],
    ['SUCCEEDED', 'done'],
    ['FAILED', 'error'],
    ['CANCELED', 'canceled'],
  ])('%s is %s', (status, word) => {
    expect(threadStatusOf(status)).toBe(word);
  });

  it('exists for every status and uses every word', () => {
    const words = new Set(RunStatus.options.map(threadStatusOf));
    expect([...words].sort()).toEqual([...ThreadRunStatus.options].sort());
  });
});
