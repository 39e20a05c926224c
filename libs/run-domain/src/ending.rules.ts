import type { RunFact, RunFactOf } from '@millrace/contracts';
import { requireKnown, requireUnpaused } from './guards.js';
import { contentOf, type ConfirmCancel, type EndGraph, type FailRun, type FinishRun } from './run.commands.js';
import { openTasks, workOf } from './run.queries.js';
import { RunRefused } from './run-refused.js';
import type { ActiveRun, KnownRun, Run } from './run.state.js';
import { interruptedTools } from './tool.rules.js';

/**
 * Said by the worker that plays the graph, once; while the run is paused it waits, and is said after the resume. A body
 * that works may still say how it ended, unless the graph failed; a branch the graph gave up while it waited does not hold
 * the run.
 */
export const endGraph = (command: EndGraph, run: Run): RunFact[] => {
  if (workOf(run)?.graphEnded) return [];
  const active = requireUnpaused(command, run);
  const open = openTasks(active).find(({ state }) => state.name === 'STARTED');
  if (open && command.result === 'SUCCEEDED') throw new RunRefused('TASKS_OPEN', command, `task ${open.key}`);
  return [{ kind: 'GraphEnded', ...contentOf(command), standsAlone: active.followUp === undefined }];
};

/**
 * Told before the end, so that no crash in between can leave an end that was not told. Whoever is told waits for the end.
 */
const followUp = ({ followUp }: KnownRun): RunFact[] => (followUp === 'OWED' ? [{ kind: 'FollowUpDue' }] : []);

export const finishRun = (command: FinishRun, run: Run): RunFact[] => {
  const known = requireKnown(command, run);
  switch (known.status) {
    case 'PENDING':
    case 'QUEUED':
      if (!known.goalAchieved) throw new RunRefused('RUN_NOT_STARTED', command);
      return [...followUp(known), { kind: 'RunFinished', ...contentOf(command) }]; // it need not be started only to end
    case 'DISPATCHED':
    case 'RUNNING':
    case 'PAUSED':
      requireNothingLeft(command, known);
      return [...interruptedTools(known), ...followUp(known), { kind: 'RunFinished', ...contentOf(command) }];
    case 'CANCELED_REQUESTED':
      throw new RunRefused('RUN_CANCEL_REQUESTED', command);
    case 'SUCCEEDED':
      return [];
    case 'FAILED':
    case 'CANCELED':
      throw new RunRefused('RUN_ENDED', command);
  }
};

/** Once a person has said that the goal is reached, neither a pause nor unfinished nodes hold the run. */
const requireNothingLeft = (command: FinishRun, run: ActiveRun): void => {
  if (run.goalAchieved) return;
  if (run.status === 'PAUSED') throw new RunRefused('RUN_PAUSED', command);
  if (run.work.graphEnded) return;
  const [open] = openTasks(run);
  if (open) throw new RunRefused('TASKS_OPEN', command, `task ${open.key}`);
};

export const failRun = (command: FailRun, run: Run): RunFact[] => {
  const known = requireKnown(command, run);
  switch (known.status) {
    case 'PENDING':
    case 'QUEUED':
    case 'DISPATCHED':
    case 'RUNNING':
    case 'PAUSED':
      return [...interruptedTools(known), ...followUp(known), { kind: 'RunFailed', ...contentOf(command) }];
    case 'CANCELED_REQUESTED':
      throw new RunRefused('RUN_CANCEL_REQUESTED', command);
    case 'FAILED':
      return [];
    case 'SUCCEEDED':
    case 'CANCELED':
      throw new RunRefused('RUN_ENDED', command);
  }
};

export const confirmCancel = (command: ConfirmCancel, run: Run): RunFact[] => {
  const known = requireKnown(command, run);
  switch (known.status) {
    case 'PENDING':
    case 'QUEUED':
    case 'DISPATCHED':
    case 'RUNNING':
    case 'PAUSED':
      throw new RunRefused('CANCEL_NOT_REQUESTED', command);
    case 'CANCELED_REQUESTED':
      return [
        ...interruptedTools(known),
        ...followUp(known),
        runCanceled(known.cancel.requestedBy, known.cancel.reason),
      ];
    case 'CANCELED':
      return [];
    case 'SUCCEEDED':
    case 'FAILED':
      throw new RunRefused('RUN_ENDED', command);
  }
};

const runCanceled = (canceledBy: string, reason: string | undefined): RunFactOf<'RunCanceled'> => ({
  kind: 'RunCanceled',
  canceledBy,
  ...(reason === undefined ? {} : { reason }),
});
