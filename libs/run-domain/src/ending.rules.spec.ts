import { describe, expect, it } from '@jest/globals';
import { aRunId, RunId, type RunFactOf } from '@millrace/contracts';
import {
  aCancelingRun,
  aDispatchedRun,
  aFailedRun,
  aFinishedRun,
  anAskingRun,
  aPausedRun,
  aQueuedRun,
  aRequestedRun,
  aRunIn,
  aRunningRun,
  aRunUsingATool,
  aSuspendedRun,
  aTask,
  aWorkedRun,
  cancelRun,
  confirmCancel,
  endGraph,
  failRun,
  finishRun,
  followUpDue,
  goalAchieved,
  graphEnded,
  nodeScheduled,
  nodeStarted,
  runCanceled,
  runCancelRequested,
  runFailed,
  runFinished,
  runPaused,
  runRequested,
  runStarted,
  speakerOf,
  specFor,
  startRun,
  toolFinished,
  toolRequested,
} from '@millrace/testing';
import { fold, hasEnded, openTools, runDecider, statusOf } from './index.js';

const given = specFor(runDecider);

const other = RunId.parse('01JD0000000000000000000099');

const interrupted = (overrides: Partial<RunFactOf<'ToolFinished'>> = {}) =>
  toolFinished({ ok: false, output: undefined, error: 'interrupted', ...overrides });

describe('EndGraph', () => {
  it('says once that the graph has come to its end', () => {
    given(...aWorkedRun())
      .when(endGraph())
      .then(graphEnded());
    given(...aWorkedRun(), graphEnded())
      .when(endGraph({ result: 'FAILED' }))
      .thenNothing();
    given(...aFinishedRun())
      .when(endGraph())
      .thenRefused('RUN_ENDED');
  });

  it('waits for a body that works, unless the graph has failed', () => {
    given(...aRunningRun())
      .when(endGraph())
      .thenRefused('TASKS_OPEN');
    const failed = { result: 'FAILED', error: { reason: 'It broke.', errorCode: 'NODE_FAILED' } } as const;
    given(...aRunningRun())
      .when(endGraph(failed))
      .then(graphEnded(failed));
  });

  it('is not held by a branch that waits and that the graph gave up; nor is the end of the run', () => {
    given(...aSuspendedRun())
      .when(endGraph())
      .then(graphEnded());
    given(...aSuspendedRun(), graphEnded())
      .when(finishRun())
      .then(runFinished());
  });

  it('is refused while the run is paused, and once it is to be canceled', () => {
    given(...aPausedRun())
      .when(endGraph())
      .thenRefused('RUN_PAUSED');
    given(...aCancelingRun())
      .when(endGraph())
      .thenRefused('RUN_CANCEL_REQUESTED');
  });
});

describe('FinishRun', () => {
  it('ends a run whose nodes are all done', () => {
    given(...aWorkedRun())
      .when(finishRun())
      .then(runFinished());
    expect(statusOf(fold(aFinishedRun()))).toBe('SUCCEEDED');
  });

  it('ends a run whose graph had no node to run', () => {
    given(runRequested(), runStarted()).when(finishRun()).then(runFinished());
  });

  it('carries what the run did, its tools among it', () => {
    given(...aWorkedRun())
      .when(finishRun({ toolsUsed: ['search', 'write_page'], stepsCompleted: 4 }))
      .then(runFinished({ toolsUsed: ['search', 'write_page'], stepsCompleted: 4 }));
  });

  it('changes nothing when the run has succeeded already', () => {
    given(...aFinishedRun())
      .when(finishRun({ summary: 'Said it again.' }))
      .thenNothing();
  });

  it('is refused while a task is open, also one that waits for a person', () => {
    given(...aDispatchedRun())
      .when(finishRun())
      .thenRefused('TASKS_OPEN');
    given(...aRunningRun())
      .when(finishRun())
      .thenRefused('TASKS_OPEN');
    given(...aSuspendedRun())
      .when(finishRun())
      .thenRefused('TASKS_OPEN');
  });

  it('is refused before the run is dispatched, unless its goal is reached', () => {
    const improved = [runRequested({ improvedBy: aRunId }), followUpDue()];
    for (const waiting of [aRequestedRun(), aQueuedRun(), improved]) {
      given(...waiting)
        .when(finishRun())
        .thenRefused('RUN_NOT_STARTED');
      given(...waiting, goalAchieved())
        .when(finishRun())
        .then(runFinished());
      expect(statusOf(fold([...waiting, goalAchieved(), runFinished()]))).toBe('SUCCEEDED');
      given(...waiting, goalAchieved(), runFinished())
        .when(startRun())
        .thenRefused('RUN_ENDED');
    }
  });

  it('is refused while the run is paused', () => {
    given(...aWorkedRun(), runPaused())
      .when(finishRun())
      .thenRefused('RUN_PAUSED');
  });

  it('loses against a cancel that came first', () => {
    given(...aWorkedRun(), runCancelRequested())
      .when(finishRun())
      .thenRefused('RUN_CANCEL_REQUESTED');
  });

  it('is refused when the run has ended otherwise', () => {
    given(...aFailedRun())
      .when(finishRun())
      .thenRefused('RUN_ENDED');
    given(...aRunIn('CANCELED'))
      .when(finishRun())
      .thenRefused('RUN_ENDED');
  });

  it('ends a run whose goal is reached with its nodes still open, and answers their tools', () => {
    given(...aRunUsingATool(), goalAchieved())
      .when(finishRun())
      .then(interrupted(), runFinished());
    given(...aSuspendedRun(), goalAchieved())
      .when(finishRun())
      .then(runFinished());
    given(...aPausedRun(), goalAchieved())
      .when(finishRun())
      .then(runFinished());
  });
});

describe('FailRun', () => {
  it.each(['PENDING', 'QUEUED', 'DISPATCHED', 'RUNNING', 'PAUSED'] as const)('ends a run that is %s', (status) => {
    given(...aRunIn(status))
      .when(failRun())
      .then(runFailed());
    expect(statusOf(fold([...aRunIn(status), runFailed()]))).toBe('FAILED');
  });

  it('answers every open tool first, task by task', () => {
    const other = { ...speakerOf('1/write'), toolUseId: 't9', tool: 'transfer_to_critic' };
    given(
      ...aRunUsingATool(),
      nodeScheduled({ tasks: [aTask('1/write')] }),
      nodeStarted(speakerOf('1/write')),
      toolRequested(other),
      toolRequested({ toolUseId: 't2' }),
    )
      .when(failRun())
      .then(interrupted(), interrupted({ toolUseId: 't2' }), interrupted(other), runFailed());
  });

  it('goes on where it stopped when only a part of it was stored', () => {
    given(...aRunUsingATool(), toolRequested({ toolUseId: 't2' }), interrupted())
      .when(failRun())
      .then(interrupted({ toolUseId: 't2' }), runFailed());
  });

  it('changes nothing when the run has failed already', () => {
    given(...aFailedRun())
      .when(failRun({ reason: 'again' }))
      .thenNothing();
  });

  it('loses against a cancel that came first, and against any other end', () => {
    given(...aCancelingRun())
      .when(failRun())
      .thenRefused('RUN_CANCEL_REQUESTED');
    given(...aFinishedRun())
      .when(failRun())
      .thenRefused('RUN_ENDED');
    given(...aRunIn('CANCELED'))
      .when(failRun())
      .thenRefused('RUN_ENDED');
  });
});

describe('ConfirmCancel', () => {
  it.each(['PENDING', 'QUEUED', 'DISPATCHED', 'RUNNING', 'PAUSED'] as const)(
    'ends a run that was %s when it was canceled, in the name of who asked',
    (status) => {
      const canceling = [...aRunIn(status), runCancelRequested({ requestedBy: 'bob', reason: 'too slow' })];
      const canceled = runCanceled({ canceledBy: 'bob', reason: 'too slow' });
      given(...canceling)
        .when(confirmCancel())
        .then(canceled);
      expect(statusOf(fold([...canceling, canceled]))).toBe('CANCELED');
    },
  );

  it('gives no reason where none was given', () => {
    given(...aRunningRun(), runCancelRequested({ reason: undefined }))
      .when(confirmCancel())
      .then({ kind: 'RunCanceled', canceledBy: 'ada' });
  });

  it('names who asked first', () => {
    given(...aCancelingRun(), runCancelRequested({ requestedBy: 'bob' }))
      .when(confirmCancel())
      .then(runCanceled());
  });

  it('ends a run that waits for a person', () => {
    given(...aSuspendedRun(), runCancelRequested())
      .when(confirmCancel())
      .then(runCanceled());
  });

  it('answers the tools in flight first', () => {
    given(...aRunUsingATool(), runCancelRequested())
      .when(confirmCancel())
      .then(interrupted(), runCanceled());
    expect(openTools(fold([...aRunUsingATool(), runCancelRequested(), interrupted()]))).toEqual([]);
  });

  it('changes nothing when the run is canceled already', () => {
    given(...aRunIn('CANCELED'))
      .when(confirmCancel())
      .thenNothing();
  });

  it('is refused when nobody asked', () => {
    given(...aRunningRun())
      .when(confirmCancel())
      .thenRefused('CANCEL_NOT_REQUESTED');
  });

  it('is refused when the run has ended otherwise', () => {
    given(...aFinishedRun())
      .when(confirmCancel())
      .thenRefused('RUN_ENDED');
  });
});

describe('the end of a run that concerns other runs', () => {
  const links = {
    'that improves another': { improves: other },
    'that waits for its improvement': { improvedBy: other },
  };
  const asked = { ...links, 'that is retried when it fails': { retryOnFailure: { maxRetries: 1 } } };

  describe.each(Object.entries(asked))('%s', (_, link) => {
    it('is told before it comes, whichever it is', () => {
      const begun = [runRequested(link), runStarted()];
      given(...begun, graphEnded())
        .when(finishRun())
        .then(followUpDue(), runFinished());
      given(...begun)
        .when(failRun())
        .then(followUpDue(), runFailed());
      given(...begun, runCancelRequested())
        .when(confirmCancel())
        .then(followUpDue(), runCanceled());
      given(runRequested(link), runCancelRequested()).when(confirmCancel()).then(followUpDue(), runCanceled());
    });

    it('is told once, when a part of the decision was stored', () => {
      given(runRequested(link), runStarted(), followUpDue()).when(failRun()).then(runFailed());
    });

    it('is looked up by the process that ends the run', () => {
      given(runRequested(link), runStarted())
        .when(endGraph())
        .then({ ...graphEnded(), standsAlone: false });
    });
  });

  it('is not told of a run that stands alone', () => {
    given(runRequested(), runStarted())
      .when(endGraph())
      .then(graphEnded({ standsAlone: true }));
    given(runRequested(), runStarted(), graphEnded()).when(finishRun()).then(runFinished());
  });
});

describe('the end of a run', () => {
  it('is won by one of two processes that race for it', () => {
    given(...aWorkedRun(), runFinished())
      .when(failRun())
      .thenRefused('RUN_ENDED');
    given(...aWorkedRun(), runFailed())
      .when(finishRun())
      .thenRefused('RUN_ENDED');
    given(...aWorkedRun(), runFinished())
      .when(cancelRun())
      .thenNothing();
  });

  it('is left by nothing that may follow it', () => {
    const ended = fold(aFinishedRun());
    for (const late of [...anAskingRun(), runCancelRequested(), runFailed(), runCanceled(), runPaused()]) {
      expect(runDecider.evolve(ended, late)).toBe(ended);
    }
    expect(hasEnded(ended)).toBe(true);
  });
});
