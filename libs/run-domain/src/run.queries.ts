import { isInternalTool, type RequestId, type TaskKey } from '@millrace/contracts';
import type { ClosedInput, EndedRun, OpenInput, OpenTask, Run, Task, ToolCall, Work } from './run.state.js';

/** Undefined while the run has not been dispatched. */
export const workOf = (run: Run): Work | undefined => ('work' in run ? run.work : undefined);

export const hasEnded = (run: Run): run is EndedRun =>
  run.status === 'SUCCEEDED' || run.status === 'FAILED' || run.status === 'CANCELED';

/** It may not be dispatched yet. Who says that its goal is reached does not want to wait. */
export const isHeld = (run: Run): boolean =>
  run.status !== 'ABSENT' && run.awaitsImprovement !== undefined && !run.goalAchieved;

/** In the order they were scheduled. */
export const openTasks = (run: Run): OpenTask[] =>
  (workOf(run)?.openTasks.values() ?? []).sort((left, right) => left.order - right.order);

export const taskOf = (run: Run, key: TaskKey): Task | undefined => {
  const work = workOf(run);
  return work?.openTasks.get(key) ?? work?.finishedTasks.get(key);
};

/** In the order they were requested. */
export const openInputs = (run: Run): OpenInput[] =>
  (workOf(run)?.openInputs.values() ?? []).sort((left, right) => left.order - right.order);

export const inputOf = (run: Run, requestId: RequestId): OpenInput | ClosedInput | undefined => {
  const work = workOf(run);
  return work?.openInputs.get(requestId) ?? work?.closedInputs.get(requestId);
};

/** What keeps a suspended task from starting again; none for a task that waits for nobody. */
export const unansweredOf = (run: Run, task: OpenTask): RequestId[] =>
  task.state.name === 'SUSPENDED' ? task.state.requestIds.filter((id) => workOf(run)?.openInputs.has(id)) : [];

export interface OpenTool extends ToolCall {
  readonly task: OpenTask;
}

/** Task by task, each in the order of its requests. */
export const openTools = (run: Run): OpenTool[] => openTasks(run).flatMap(openToolsOf);

export const openToolsOf = (task: OpenTask): OpenTool[] => task.openTools.map((call) => ({ ...call, task }));

/** Each tool once, by name; what only moves control between agents is none. */
export const toolsUsed = (run: Run): string[] => {
  const names = (workOf(run)?.tools.values() ?? []).map(({ tool }) => tool);
  return [...new Set(names)].filter((tool) => !isInternalTool(tool)).sort();
};
