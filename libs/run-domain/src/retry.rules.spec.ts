import { describe, expect, it } from '@jest/globals';
import { FACT_FIXTURES, RunId, RunStatus } from '@millrace/contracts';
import {
  achieveGoal,
  aFailedRun,
  aFinishedRun,
  aRunIn,
  cancelRun,
  goalAchieved,
  improvementProvided,
  provideImprovement,
  requestRetry,
  retryAfterFailure,
  retryRequested,
  runCancelRequested,
  runFailed,
  runRequested,
  runStarted,
  specFor,
  startRun,
} from '@millrace/testing';
import { fold, isRepeatable, runDecider, statusOf } from './index.js';

const given = specFor(runDecider);

const ENDED = ['SUCCEEDED', 'FAILED', 'CANCELED'] as const;
const OPEN = RunStatus.exclude([...ENDED, 'CANCELED_REQUESTED']).options;
const another = RunId.parse('01JD0000000000000000000009');

describe('AchieveGoal', () => {
  it.each(RunStatus.options)('is recorded once for a run that is %s', (status) => {
    given(...aRunIn(status))
      .when(achieveGoal())
      .then(goalAchieved());
    given(...aRunIn(status), goalAchieved())
      .when(achieveGoal({ by: 'bob' }))
      .thenNothing();
  });

  it('does not change the status by itself', () => {
    for (const status of RunStatus.options) {
      expect(statusOf(fold([...aRunIn(status), goalAchieved()]))).toBe(status);
    }
  });
});

describe('RequestRetry', () => {
  it.each(ENDED)('is recorded for a run that is %s, and leaves it so', (status) => {
    given(...aRunIn(status))
      .when(requestRetry())
      .then(retryRequested());
    expect(statusOf(fold([...aRunIn(status), retryRequested()]))).toBe(status);
  });

  it('is another wish each time', () => {
    given(...aFinishedRun(), retryRequested())
      .when(requestRetry())
      .then(retryRequested());
  });

  it.each([...OPEN, 'CANCELED_REQUESTED' as const])('is refused while the run is %s', (status) => {
    given(...aRunIn(status))
      .when(requestRetry())
      .thenRefused('RUN_NOT_ENDED');
  });
});

describe('RequestRetry that names its run', () => {
  const named = { retryRunId: another, note: 'shorter' };

  it('is recorded once', () => {
    given(...aFinishedRun())
      .when(requestRetry(named))
      .then(retryRequested(named));
    given(...aFinishedRun(), retryRequested(named))
      .when(requestRetry(named))
      .thenNothing();
    expect([requestRetry(named), requestRetry()].map(isRepeatable)).toEqual([true, false]);
  });

  it.each([
    ['another wish', { note: 'longer' }],
    ["somebody else's", { by: 'bob' }],
  ])('is refused under the same id when it is %s', (_, other) => {
    given(...aFinishedRun(), retryRequested(named))
      .when(requestRetry({ ...named, ...other }))
      .thenRefused('RUN_EXISTS');
  });
});

describe('RetryAfterFailure', () => {
  const [, ...failing] = aFailedRun();
  const aRunThatMayFail = (maxRetries: number) => [runRequested({ retryOnFailure: { maxRetries } }), ...failing];
  const automatic = () => {
    const { by, retryRunId } = retryAfterFailure();
    return { kind: 'RetryRequested', by, retryRunId, automatic: true } as const;
  };

  it('is recorded once for a run that failed and may be retried', () => {
    given(...aRunThatMayFail(1))
      .when(retryAfterFailure())
      .then(automatic());
    given(...aRunThatMayFail(1), automatic())
      .when(retryAfterFailure({ retryRunId: another }))
      .thenNothing();
  });

  it.each([
    ['was not requested so', aFailedRun()],
    ['has used up its retries', aRunThatMayFail(0)],
    ['was declared achieved, before or after its end', [...aRunThatMayFail(1), goalAchieved()]],
    ['was retried by somebody', [...aRunThatMayFail(1), retryRequested()]],
    ['has not failed yet', aRunThatMayFail(1).slice(0, -1)],
  ])('is nothing for a run that %s', (_, history) => {
    given(...history)
      .when(retryAfterFailure())
      .thenNothing();
  });
});

describe('A run that is to be improved first', () => {
  const { improvementRunId } = FACT_FIXTURES.ImprovementProvided;
  const held = runRequested({ improvedBy: improvementRunId });

  it('is not dispatched before it has its improvement', () => {
    given(held).when(startRun()).thenRefused('RUN_AWAITS_IMPROVEMENT');
    given(held, improvementProvided()).when(startRun()).then(runStarted());
  });

  it('is dispatched, to end, once its goal is reached without it', () => {
    given(held, goalAchieved()).when(startRun()).then(runStarted());
  });

  it('can be canceled and can fail', () => {
    given(held).when(cancelRun()).then(runCancelRequested());
    expect(statusOf(fold([held, runFailed()]))).toBe('FAILED');
  });

  it('is given one improvement, of the run it waits for', () => {
    given(held).when(provideImprovement()).then(improvementProvided());
    given(held, improvementProvided())
      .when(provideImprovement({ improvement: 'another one' }))
      .thenNothing();
    given(held)
      .when(provideImprovement({ improvementRunId: another }))
      .thenNothing();
  });

  it('has no use for it once it has ended', () => {
    given(held, runFailed()).when(provideImprovement()).thenNothing();
  });
});
