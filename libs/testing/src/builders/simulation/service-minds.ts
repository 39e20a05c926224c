import { hasEnded, openInputs, openTasks, taskOf, type RunCommand } from '@millrace/run-domain';
import {
  achieveGoal,
  cancelRun,
  confirmCancel,
  expireInput,
  failRun,
  finishRun,
  pauseRun,
  provideInput,
  queueRun,
  requestRetry,
  requestRun,
  resumeRun,
  saveCheckpoint,
  scheduleNodes,
  startRun,
} from '../commands.js';
import { aTask, requestIdOf } from '../tasks.js';
import { PLAYED_TASKS, type Mind } from './mind.js';

/** Ends are rare (1 of some hundred), or no history would grow deep. */
export const apiCaller: Mind = (run, dice) => {
  const asked = openInputs(run);
  const requestId = asked[dice.below(Math.max(1, asked.length))]?.requestId ?? requestIdOf(dice.below(8));
  return dice.weigh<() => RunCommand>([
    [run.status === 'ABSENT' ? 5_000 : 100, () => requestRun()],
    [20, () => requestRun({ policy: 'careful' })],
    [asked.length > 0 ? 600 : 20, () => provideInput({ requestId })],
    [run.status === 'RUNNING' ? 40 : 20, () => pauseRun()],
    [run.status === 'PAUSED' ? 600 : 20, () => resumeRun()],
    [3, () => cancelRun()],
    [1, () => achieveGoal()],
    [hasEnded(run) ? 100 : 20, () => requestRetry()],
  ])();
};

export const orchestrator: Mind = (run, dice) => {
  const isWaiting = run.status === 'PENDING' || run.status === 'QUEUED';
  const unscheduled = PLAYED_TASKS.filter((key) => !taskOf(run, aTask(key).key));
  const [next] = unscheduled;
  const step = unscheduled.filter((key) => key[0] === next?.[0]).map((key) => aTask(key));
  const isDone = next === undefined && openTasks(run).length === 0;
  return dice.weigh<() => RunCommand>([
    [isWaiting ? 400 : 60, () => startRun()],
    [isWaiting ? 200 : 30, () => queueRun()],
    [step.length > 0 ? 400 : 0, () => scheduleNodes({ tasks: step })],
    [40, () => scheduleNodes({ tasks: PLAYED_TASKS.map((key) => aTask(key)) })],
    [20, () => scheduleNodes({ tasks: [{ ...aTask(), inputHash: 'other' }] })],
    [40, () => saveCheckpoint({ iteration: dice.below(4) })],
    [30, () => expireInput({ requestId: openInputs(run)[0]?.requestId ?? requestIdOf(dice.below(8)) })],
    [isDone ? 600 : 30, () => finishRun()],
    [run.status === 'CANCELED_REQUESTED' ? 100 : 30, () => confirmCancel()],
    [2, () => failRun()],
  ])();
};
