import type { RunFact } from '@millrace/contracts';
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

/** The orchestrator replays the graph after a crash and schedules a superstep again: only what is new is a fact. */
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
  requireUnpaused(command, run);
  return [{ kind: 'NodeScheduled', tasks: [...fresh.values()] }];
};

/** Of two workers that take the same attempt one is refused, and never both may speak. */
export const startNode = (command: StartNode, run: Run): RunFact[] => {
  requireUnpaused(command, run);
  const task = requireOpenTask(command, command, run);
  const thing = `task ${task.key}, attempt ${command.attempt} after ${task.attempt}`;
  if (command.attempt <= task.attempt) throw new RunRefused('ATTEMPT_SUPERSEDED', command, thing);
  if (command.attempt > task.attempt + 1) throw new RunRefused('ATTEMPT_INVALID', command, thing);
  const [unanswered] = unansweredOf(run, task);
  if (unanswered) throw new RunRefused('TASK_WAITING', command, `task ${task.key}, request ${unanswered}`);
  const continues = task.state.name === 'SUSPENDED' ? { continues: true } : {};
  return [{ kind: 'NodeStarted', ...contentOf(command), ...continues }];
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
