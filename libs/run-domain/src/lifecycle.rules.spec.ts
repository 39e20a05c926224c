import { describe, expect, it } from '@jest/globals';
import { RunStatus } from '@millrace/contracts';
import {
  aCanceledRun,
  aCancelingRun,
  aDispatchedRun,
  aFinishedRun,
  aPausedRun,
  aQueuedRun,
  aRequestedRun,
  aRunIn,
  aRunningRun,
  aSuspendedRun,
  cancelRun,
  checkpointSaved,
  nodeStarted,
  pauseRun,
  policySwitched,
  queueRun,
  requestRun,
  resumeRun,
  runCanceled,
  runCancelRequested,
  runPaused,
  runQueued,
  runRequested,
  runResumed,
  runStarted,
  saveCheckpoint,
  specFor,
  startRun,
} from '@millrace/testing';
import { fold, runDecider, statusOf } from './index.js';

const given = specFor(runDecider);

const ENDED = ['SUCCEEDED', 'FAILED', 'CANCELED'] as const;
const OPEN = RunStatus.exclude([...ENDED, 'CANCELED_REQUESTED']).options;

describe('RequestRun', () => {
  it('makes a run, which is pending', () => {
    given().when(requestRun()).then(runRequested());
    expect(statusOf(fold(aRequestedRun()))).toBe('PENDING');
  });

  it.each(RunStatus.options)('changes nothing when the same is requested again and the run is %s', (status) => {
    given(...aRunIn(status))
      .when(requestRun())
      .thenNothing();
  });

  it('changes nothing when the same is requested with its keys in another order', () => {
    given(runRequested({ input: { text: 'hello', files: [] } }))
      .when(requestRun({ input: { files: [], text: 'hello' } }))
      .thenNothing();
  });

  it('is the same request when what it left out has another default by now', () => {
    const defaulted = ['agent', 'policy'] as const;
    given(runRequested({ defaulted: [...defaulted] }))
      .when(requestRun({ agent: 'critic', policy: 'careful', defaulted: [...defaulted] }))
      .thenNothing();
    given(runRequested({ defaulted: [...defaulted] }))
      .when(requestRun({ appId: 'other', defaulted: [...defaulted] }))
      .thenRefused('RUN_EXISTS');
    given(runRequested({ defaulted: [...defaulted] }))
      .when(requestRun()) // the same values, said this time
      .thenRefused('RUN_EXISTS');
  });

  it('is compared by all it came to with one that does not tell what was left out', () => {
    given(runRequested())
      .when(requestRun({ defaulted: ['agent'] }))
      .thenNothing();
    given(runRequested())
      .when(requestRun({ agent: 'critic', defaulted: ['agent'] }))
      .thenRefused('RUN_EXISTS');
  });

  it('is still the same request after the policy was switched', () => {
    given(...aRunningRun(), policySwitched())
      .when(requestRun())
      .thenNothing();
  });

  it.each([
    { agent: 'critic' },
    { appId: 'other' },
    { policy: 'careful' },
    { input: { text: 'bye' } },
    { seedState: { round: 1 } },
    { threadId: undefined, projectId: 'atlas' },
    { userId: 'bob' },
    { idempotencyKey: 'k2' },
  ])('is refused when the run was requested with other content than %j', (other) => {
    given(runRequested()).when(requestRun(other)).thenRefused('RUN_EXISTS');
  });
});

describe('QueueRun', () => {
  it('is recorded for a run that has to wait for a slot', () => {
    given(runRequested()).when(queueRun()).then(runQueued());
    expect(statusOf(fold(aQueuedRun()))).toBe('QUEUED');
  });

  it('changes nothing when the run has waited before, whatever has become of it', () => {
    given(...aQueuedRun())
      .when(queueRun({ waitingFor: 'global-slot' }))
      .thenNothing();
    given(...aQueuedRun(), runStarted())
      .when(queueRun())
      .thenNothing();
    given(...aQueuedRun(), runCancelRequested(), runCanceled())
      .when(queueRun())
      .thenNothing();
  });

  it('is refused once the run has a slot', () => {
    given(...aDispatchedRun())
      .when(queueRun())
      .thenRefused('RUN_STARTED');
  });
});

describe('StartRun', () => {
  it('dispatches a run that waits, with what was requested', () => {
    const started = runStarted({ agent: 'critic', appId: 'atlas', policy: 'careful', agentVersion: '7' });
    given(runRequested({ agent: 'critic', appId: 'atlas', policy: 'careful' }), runQueued())
      .when(startRun({ agentVersion: '7' }))
      .then(started);
    expect(statusOf(fold([...aQueuedRun(), started]))).toBe('DISPATCHED');
  });

  it('dispatches a run that need not wait', () => {
    given(runRequested()).when(startRun()).then(runStarted());
  });

  it('changes nothing when another dispatcher was first', () => {
    given(...aDispatchedRun())
      .when(startRun({ agentVersion: '2' }))
      .thenNothing();
    given(...aCanceledRun())
      .when(startRun())
      .thenNothing();
  });

  it('is refused when the run was canceled while it waited', () => {
    given(...aQueuedRun(), runCancelRequested())
      .when(startRun())
      .thenRefused('RUN_CANCEL_REQUESTED');
    given(...aQueuedRun(), runCancelRequested(), runCanceled())
      .when(startRun())
      .thenRefused('RUN_ENDED');
  });
});

describe('a dispatched run', () => {
  it('runs once its first node starts', () => {
    expect(statusOf(fold(aDispatchedRun()))).toBe('DISPATCHED');
    expect(statusOf(fold([...aDispatchedRun(), nodeStarted()]))).toBe('RUNNING');
  });
});

describe('PauseRun and ResumeRun', () => {
  it('lead from running to paused and back', () => {
    given(...aRunningRun())
      .when(pauseRun())
      .then(runPaused());
    given(...aPausedRun())
      .when(resumeRun())
      .then(runResumed());
    expect(statusOf(fold([...aPausedRun(), runResumed()]))).toBe('RUNNING');
  });

  it('change nothing when repeated', () => {
    given(...aPausedRun())
      .when(pauseRun())
      .thenNothing();
    given(...aPausedRun(), runResumed())
      .when(resumeRun())
      .thenNothing();
  });

  it('can follow each other as often as one likes', () => {
    given(...aPausedRun(), runResumed())
      .when(pauseRun())
      .then(runPaused());
    given(...aPausedRun(), runResumed(), runPaused())
      .when(resumeRun())
      .then(runResumed());
  });

  it.each(['PENDING', 'QUEUED', 'DISPATCHED'] as const)('are refused while the run is %s', (status) => {
    given(...aRunIn(status))
      .when(pauseRun())
      .thenRefused('RUN_NOT_RUNNING');
    given(...aRunIn(status))
      .when(resumeRun())
      .thenRefused('RUN_NOT_PAUSED');
  });
});

describe('CancelRun', () => {
  it.each(OPEN)('is recorded for a run that is %s', (status) => {
    given(...aRunIn(status))
      .when(cancelRun())
      .then(runCancelRequested());
    expect(statusOf(fold([...aRunIn(status), runCancelRequested()]))).toBe('CANCELED_REQUESTED');
  });

  it('is recorded for a run that waits for a person', () => {
    given(...aSuspendedRun())
      .when(cancelRun())
      .then(runCancelRequested());
  });

  it('changes nothing when somebody asked before', () => {
    given(...aCancelingRun())
      .when(cancelRun({ requestedBy: 'bob' }))
      .thenNothing();
  });

  it.each(ENDED)('changes nothing once the run is %s', (status) => {
    given(...aRunIn(status))
      .when(cancelRun())
      .thenNothing();
  });

  it('is refused for a run nobody started', () => {
    given().when(cancelRun()).thenRefused('RUN_NOT_FOUND');
  });
});

describe('SaveCheckpoint', () => {
  it('is recorded when it lies further than the last', () => {
    given(...aRunningRun())
      .when(saveCheckpoint())
      .then(checkpointSaved());
    given(...aRunningRun(), checkpointSaved({ iteration: 20 }))
      .when(saveCheckpoint({ iteration: 21 }))
      .then(checkpointSaved({ iteration: 21 }));
  });

  it('is recorded from the very first iteration on', () => {
    given(...aRunningRun())
      .when(saveCheckpoint({ iteration: 0 }))
      .then(checkpointSaved({ iteration: 0 }));
  });

  it('changes nothing when it is the last one or older, also after the end', () => {
    given(...aRunningRun(), checkpointSaved({ iteration: 20 }))
      .when(saveCheckpoint({ iteration: 20 }))
      .thenNothing();
    given(...aRunningRun(), checkpointSaved({ iteration: 20 }))
      .when(saveCheckpoint({ iteration: 19 }))
      .thenNothing();
    given(...aRunningRun(), checkpointSaved(), runCancelRequested(), runCanceled())
      .when(saveCheckpoint())
      .thenNothing();
  });

  it('is refused before the run is dispatched and after it has ended', () => {
    given(...aQueuedRun())
      .when(saveCheckpoint())
      .thenRefused('RUN_NOT_STARTED');
    given(...aFinishedRun())
      .when(saveCheckpoint())
      .thenRefused('RUN_ENDED');
  });
});
