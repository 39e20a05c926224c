import type { Run, RunCommand } from '@millrace/run-domain';
import { achieveGoal, cancelRun, confirmCancel, failRun, finishRun, requestRun, startRun } from '../commands.js';
import type { Dice } from './dice.js';
import { apiCaller, orchestrator } from './service-minds.js';
import { nodeWorker } from './worker-mind.js';

/** Two workers, so that one may sleep while the other takes its task over. */
export const CAST = [apiCaller, orchestrator, nodeWorker, nodeWorker] as const;

/** Orders that end the run from wherever it is. */
export const endingOf = (run: Run, dice: Dice): RunCommand[] => {
  if (run.status === 'CANCELED_REQUESTED') return [confirmCancel()];
  return dice.pick<RunCommand[]>([
    [requestRun(), cancelRun(), confirmCancel()],
    [requestRun(), failRun()],
    [requestRun(), startRun(), achieveGoal(), finishRun()],
    [requestRun(), achieveGoal(), finishRun()],
  ]);
};
