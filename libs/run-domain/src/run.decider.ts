import type { RunFact } from '@millrace/contracts';
import { confirmCancel, endGraph, failRun, finishRun } from './ending.rules.js';
import { expireInput, provideInput, requestInput } from './input.rules.js';
import { cancelRun, pauseRun, queueRun, requestRun, resumeRun, saveCheckpoint, startRun } from './lifecycle.rules.js';
import { finishNode, scheduleNodes, scheduleRetry, startNode, suspendNode } from './node.rules.js';
import { achieveGoal, provideImprovement, requestRetry, retryAfterFailure } from './retry.rules.js';
import type { RunCommand } from './run.commands.js';
import { evolve } from './run.evolve.js';
import { absent, type Run } from './run.state.js';
import { say } from './speech.rules.js';
import { finishTool, progressTool, requestTool } from './tool.rules.js';

/**
 * What the command adds to the run's history: nothing when it is a repeat, several facts when others must come first.
 * Append the first, and when it was not the only one decide again: so a crash between two is simply continued.
 * Throws RunRefused when the command makes no sense for the run as it is.
 */
export const decide = (command: RunCommand, run: Run): RunFact[] => {
  switch (command.kind) {
    case 'RequestRun':
      return requestRun(command, run);
    case 'QueueRun':
      return queueRun(command, run);
    case 'StartRun':
      return startRun(command, run);
    case 'PauseRun':
      return pauseRun(command, run);
    case 'ResumeRun':
      return resumeRun(command, run);
    case 'CancelRun':
      return cancelRun(command, run);
    case 'ConfirmCancel':
      return confirmCancel(command, run);
    case 'EndGraph':
      return endGraph(command, run);
    case 'FinishRun':
      return finishRun(command, run);
    case 'FailRun':
      return failRun(command, run);
    case 'AchieveGoal':
      return achieveGoal(command, run);
    case 'RequestRetry':
      return requestRetry(command, run);
    case 'RetryAfterFailure':
      return retryAfterFailure(command, run);
    case 'ProvideImprovement':
      return provideImprovement(command, run);
    case 'SaveCheckpoint':
      return saveCheckpoint(command, run);
    case 'ScheduleNodes':
      return scheduleNodes(command, run);
    case 'StartNode':
      return startNode(command, run);
    case 'FinishNode':
      return finishNode(command, run);
    case 'ScheduleRetry':
      return scheduleRetry(command, run);
    case 'SuspendNode':
      return suspendNode(command, run);
    case 'Say':
      return say(command, run);
    case 'RequestTool':
      return requestTool(command, run);
    case 'ProgressTool':
      return progressTool(command, run);
    case 'FinishTool':
      return finishTool(command, run);
    case 'RequestInput':
      return requestInput(command, run);
    case 'ProvideInput':
      return provideInput(command, run);
    case 'ExpireInput':
      return expireInput(command, run);
  }
};

/** The three parts together, as tests and use cases take them. */
export const runDecider = { initial: absent, decide, evolve } as const;
