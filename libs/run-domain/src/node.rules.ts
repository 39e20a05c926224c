import type { RunFact, RunRef } from '@millrace/contracts';
import { requireNotCanceling, requireOpenTask, requireSpeaker, requireUnpaused } from './guards.js';
import {
  contentOf,
  type FinishNode,
  type ScheduleNodes,
  type ScheduleRetry,
  type StartNode,
  type SuspendNode,
} from './run.commands.js';
import { inputOf, openToolsOf, taskOf, unansweredOf } from './run.queries.js';
import { RunRefused } from './run-refused.js';
import type { Run } from './run.state.js';
import { interrupted } from './tool.rules.js';

/** A worker that takes a run over replays its graph and schedules a superstep again: only what is new is a fact. */
export const scheduleNodes = (command: ScheduleNodes, run: Run): RunFact[] => {
  const fresh = new Map<string, ScheduleNodes['tasks'][number]>();
  for (const task of command.tasks) {
    const before = taskOf(run, task.key) ?? fresh.get(task.key);
    if (!before) fresh.set(task.key, task);
    else if (before.node !== task.node || before.inputHash !== task.inputHash) {
      throw new RunRefused('TASK_CONFLICT', command, `task ${task.key} (${before.node}, now ${task.node})`);
    }
  }
  if (fresh.size === 0) return [];
  requireGraphGoesOn(command, run);
  return [{ kind: 'NodeScheduled', tasks: [...fresh.values()] }];
};

/**
 * Of two workers that take the same attempt one is refused, and never both may speak. A task that is not scheduled yet is
 * scheduled by its first start.
 */
export const startNode = (command: StartNode, run: Run): RunFact[] => {
  requireUnpaused(command, run);
  if (command.scheduled) {
    const known = taskOf(run, command.taskKey);
    if (!known) return firstStart(command, run);
    if (known.node !== command.node || known.inputHash !== command.scheduled.inputHash) {
      throw new RunRefused('TASK_CONFLICT', command, `task ${known.key} (${known.node}, now ${command.node})`);
    }
  }
  const task = requireOpenTask(command, command, run);
  const thing = `task ${task.key}, attempt ${command.attempt} after ${task.attempt}`;
  if (command.attempt <= task.attempt) throw new RunRefused('ATTEMPT_SUPERSEDED', command, thing);
  if (command.attempt > task.attempt + 1) throw new RunRefused('ATTEMPT_INVALID', command, thing);
  const [unanswered] = unansweredOf(run, task);
  if (unanswered) throw new RunRefused('TASK_WAITING', command, `task ${task.key}, request ${unanswered}`);
  const continues = task.state.name === 'SUSPENDED' ? { continues: true } : {};
  const { scheduled, ...start } = contentOf(command); // what it would say is in the log
  return [{ kind: 'NodeStarted', ...start, ...continues }];
};

const firstStart = (command: StartNode, run: Run): RunFact[] => {
  requireGraphGoesOn(command, run);
  const thing = `task ${command.taskKey}, attempt ${command.attempt} after 0`;
  if (command.attempt !== 1) throw new RunRefused('ATTEMPT_INVALID', command, thing);
  return [{ kind: 'NodeStarted', ...contentOf(command) }];
};

/** A worker that stood still while another one played the graph to its end has nothing to begin. */
const requireGraphGoesOn = (ref: RunRef, run: Run): void => {
  const { work } = requireUnpaused(ref, run);
  if (work.graphEnded) throw new RunRefused('ATTEMPT_SUPERSEDED', ref, 'the graph has ended');
};

export const finishNode = (command: FinishNode, run: Run): RunFact[] => {
  const before = taskOf(run, command.taskKey);
  if (before?.state.name === 'FINISHED' && before.attempt === command.attempt) return [];
  const task = requireSpeaker(command, command, run);
  return [...openToolsOf(task).map(interrupted), { kind: 'NodeFinished', ...contentOf(command) }];
};

export const scheduleRetry = (command: ScheduleRetry, run: Run): RunFact[] => {
  const before = taskOf(run, command.taskKey);
  if (before?.state.name === 'RETRYING' && before.attempt === command.attempt) return [];
  requireNotCanceling(command, run); // it would announce an attempt that never comes
  requireSpeaker(command, command, run);
  return [{ kind: 'NodeRetryScheduled', ...contentOf(command) }];
};

export const suspendNode = (command: SuspendNode, run: Run): RunFact[] => {
  const before = taskOf(run, command.taskKey);
  if (before?.state.name === 'SUSPENDED' && before.attempt === command.attempt) return [];
  requireSpeaker(command, command, run);
  const stranger = command.requestIds.find((id) => inputOf(run, id)?.taskKey !== command.taskKey);
  if (stranger) throw new RunRefused('INPUT_NOT_FOUND', command, `request ${stranger} of task ${command.taskKey}`);
  return [{ kind: 'NodeSuspended', ...contentOf(command) }];
};
