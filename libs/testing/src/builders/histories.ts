import type { RunFact, RunStatus } from '@millrace/contracts';
import {
  inputProvided,
  inputRequested,
  nodeFinished,
  nodeRetryScheduled,
  nodeScheduled,
  nodeStarted,
  nodeSuspended,
  runCanceled,
  runCancelRequested,
  runFailed,
  runFinished,
  runPaused,
  runQueued,
  runRequested,
  runStarted,
  toolRequested,
} from './facts.js';

/** Histories of one task, `1/plan`, each as short as its name allows. */
export const aRequestedRun = (): RunFact[] => [runRequested()];
export const aQueuedRun = (): RunFact[] => [...aRequestedRun(), runQueued()];
/** Its task is scheduled, and nobody has taken it. */
export const aDispatchedRun = (): RunFact[] => [...aRequestedRun(), runStarted(), nodeScheduled()];
export const aRunningRun = (): RunFact[] => [...aDispatchedRun(), nodeStarted()];
export const aPausedRun = (): RunFact[] => [...aRunningRun(), runPaused()];
export const aRetryingRun = (): RunFact[] => [...aRunningRun(), nodeRetryScheduled()];
export const aRunUsingATool = (): RunFact[] => [...aRunningRun(), toolRequested()];
/** It has asked, and its worker still holds the task. */
export const anAskingRun = (): RunFact[] => [...aRunningRun(), inputRequested()];
export const aSuspendedRun = (): RunFact[] => [...anAskingRun(), nodeSuspended()];
/** The answer is there, and nobody has taken the task again. */
export const anAnsweredRun = (): RunFact[] => [...aSuspendedRun(), inputProvided()];
export const aCancelingRun = (): RunFact[] => [...aRunningRun(), runCancelRequested()];

/** All its nodes are done, and the run has not been ended. */
export const aWorkedRun = (): RunFact[] => [...aRunningRun(), nodeFinished()];
export const aFinishedRun = (): RunFact[] => [...aWorkedRun(), runFinished()];
export const aFailedRun = (): RunFact[] => [
  ...aRunningRun(),
  nodeFinished({ result: 'FAILURE', output: undefined, error: { message: 'overloaded' } }),
  runFailed(),
];
export const aCanceledRun = (): RunFact[] => [...aCancelingRun(), runCanceled()];

/** A believable history that has come to the status. */
export const aRunIn = (status: RunStatus | 'ABSENT'): RunFact[] => HISTORIES[status]();

const HISTORIES: { readonly [S in RunStatus | 'ABSENT']: () => RunFact[] } = {
  ABSENT: () => [],
  PENDING: aRequestedRun,
  QUEUED: aQueuedRun,
  DISPATCHED: aDispatchedRun,
  RUNNING: aRunningRun,
  PAUSED: aPausedRun,
  CANCELED_REQUESTED: aCancelingRun,
  SUCCEEDED: aFinishedRun,
  FAILED: aFailedRun,
  CANCELED: aCanceledRun,
};
