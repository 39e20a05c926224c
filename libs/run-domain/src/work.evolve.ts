import type { RequestId, RunFactOf, TaskKey } from '@millrace/contracts';
import { fingerprint } from './fingerprint.js';
import { PersistentMap } from './persistent-map.js';
import type { ClosedInput, OpenTask, Work } from './run.state.js';

/** What changes the work of a run; everything else it only carries. */
export type WorkFact = RunFactOf<
  | 'NodeScheduled'
  | 'NodeStarted'
  | 'NodeFinished'
  | 'NodeRetryScheduled'
  | 'NodeSuspended'
  | 'EffectRecorded'
  | 'ModelResponded'
  | 'ToolRequested'
  | 'ToolFinished'
  | 'InputRequested'
  | 'InputProvided'
  | 'InputExpired'
  | 'CheckpointSaved'
  | 'GraphEnded'
>;

/** What a dispatched run remembers of one more fact: the same object when it remembers nothing new. */
export const evolveWork = (work: Work, fact: WorkFact): Work => {
  switch (fact.kind) {
    case 'NodeScheduled':
      return fact.tasks.reduce((sum, task) => scheduled(sum, task, false), work);
    case 'NodeStarted':
      return started(work, fact);
    case 'NodeFinished':
      return finished(work, fact);
    case 'NodeRetryScheduled':
      return changeTask(work, fact.taskKey, (task) => ({
        ...task,
        state: { name: 'RETRYING', retryAt: fact.retryAt },
        failures: task.failures + 1,
      }));
    case 'NodeSuspended':
      return changeTask(work, fact.taskKey, (task) => ({
        ...task,
        state: { name: 'SUSPENDED', requestIds: fact.requestIds },
      }));
    case 'EffectRecorded':
      return changeTask(work, fact.taskKey, (task) => ({ ...task, effects: task.effects.set(fact.key, true) }));
    case 'ModelResponded':
      return changeTask(work, fact.taskKey, (task) => ({
        ...task,
        respondedCalls: task.respondedCalls.set(fact.callId, true),
      }));
    case 'ToolRequested':
      return toolRequested(work, fact);
    case 'ToolFinished':
      return toolFinished(work, fact);
    case 'InputRequested':
      return inputRequested(work, fact);
    case 'InputProvided':
      return inputClosed(work, fact.requestId, 'ANSWERED');
    case 'InputExpired':
      return inputClosed(work, fact.requestId, 'EXPIRED');
    case 'CheckpointSaved':
      return fact.iteration > work.checkpoint ? { ...work, checkpoint: fact.iteration } : work;
    case 'GraphEnded':
      return { ...work, graphEnded: true };
  }
};

const changeTask = (work: Work, key: TaskKey, change: (task: OpenTask) => OpenTask): Work => {
  const task = work.openTasks.get(key);
  if (!task) return work;
  const openTasks = work.openTasks.set(key, change(task));
  return openTasks === work.openTasks ? work : { ...work, openTasks };
};

const started = (
  work: Work,
  { taskKey: key, node, iteration, attempt, scheduled: by }: RunFactOf<'NodeStarted'>,
): Work => {
  const known = by ? scheduled(work, { key, node, iteration, inputHash: by.inputHash }, true) : work;
  return changeTask(known, key, (task) => {
    if (attempt <= task.attempt) return task;
    const deaths = task.deaths + (task.state.name === 'STARTED' ? 1 : 0);
    return { ...task, state: { name: 'STARTED' }, attempt, deaths };
  });
};

const scheduled = (work: Work, { key, node, iteration, inputHash }: NewTask, isAlone: boolean): Work => {
  if (work.openTasks.has(key) || work.finishedTasks.has(key)) return work;
  const task: OpenTask = {
    key,
    node,
    iteration,
    inputHash,
    order: work.openTasks.size + work.finishedTasks.size,
    state: { name: 'SCHEDULED' },
    attempt: 0,
    failures: 0,
    deaths: 0,
    isAlone,
    openTools: [],
    effects: PersistentMap.empty(),
    respondedCalls: PersistentMap.empty(),
  };
  return { ...work, openTasks: work.openTasks.set(key, task) };
};

type NewTask = RunFactOf<'NodeScheduled'>['tasks'][number];

const finished = (work: Work, { taskKey, attempt, result }: RunFactOf<'NodeFinished'>): Work => {
  const task = work.openTasks.get(taskKey);
  if (!task) return work;
  const { key, node, iteration, inputHash, order } = task;
  const done = { key, node, iteration, inputHash, order, attempt, state: { name: 'FINISHED', result } } as const;
  return {
    ...work,
    openTasks: work.openTasks.delete(taskKey),
    finishedTasks: work.finishedTasks.set(taskKey, done),
  };
};

const toolRequested = (work: Work, fact: RunFactOf<'ToolRequested'>): Work => {
  const { toolUseId, tool, taskKey, agentId } = fact;
  if (work.tools.has(toolUseId) || !work.openTasks.has(taskKey)) return work;
  const opened = changeTask(work, taskKey, (task) => ({
    ...task,
    openTools: [...task.openTools, { toolUseId, tool, agentId }],
  }));
  return { ...opened, tools: work.tools.set(toolUseId, { tool, taskKey }) };
};

const toolFinished = (work: Work, { toolUseId, taskKey }: RunFactOf<'ToolFinished'>): Work =>
  changeTask(work, taskKey, (task) => {
    const openTools = task.openTools.filter((call) => call.toolUseId !== toolUseId);
    return openTools.length === task.openTools.length ? task : { ...task, openTools };
  });

const inputRequested = (work: Work, fact: RunFactOf<'InputRequested'>): Work => {
  const { requestId, taskKey, request, expiresAt } = fact;
  if (work.openInputs.has(requestId) || work.closedInputs.has(requestId)) return work;
  const order = work.openInputs.size + work.closedInputs.size;
  const requestPrint = fingerprint(request);
  const input = { requestId, taskKey, type: request.type, requestPrint, expiresAt, order };
  return { ...work, openInputs: work.openInputs.set(requestId, input) };
};

const inputClosed = (work: Work, requestId: RequestId, outcome: ClosedInput['outcome']): Work => {
  const input = work.openInputs.get(requestId);
  if (!input) return work;
  const closed = { taskKey: input.taskKey, requestPrint: input.requestPrint, outcome };
  return {
    ...work,
    openInputs: work.openInputs.delete(requestId),
    closedInputs: work.closedInputs.set(requestId, closed),
  };
};
