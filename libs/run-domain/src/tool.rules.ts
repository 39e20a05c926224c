import type { RunFact, RunFactOf } from '@millrace/contracts';
import { requireNotCanceling, requireSpeaker } from './guards.js';
import { contentOf, type FinishTool, type ProgressTool, type RequestTool } from './run.commands.js';
import { openTools, workOf, type OpenTool } from './run.queries.js';
import { RunRefused } from './run-refused.js';
import type { OpenTask, RequestedTool, Run } from './run.state.js';

/** Asked before the call, so the fence comes first: a worker that slept must not be told to go ahead. */
export const requestTool = (command: RequestTool, run: Run): RunFact[] => {
  requireSpeaker(command, command, run);
  if (requestedTool(command, run)) return []; // by this attempt or one before it; the id is the same on purpose
  requireNotCanceling(command, run);
  return [{ kind: 'ToolRequested', ...contentOf(command) }];
};

export const progressTool = (command: ProgressTool, run: Run): RunFact[] => {
  const task = requireSpeaker(command, command, run);
  if (!requestedTool(command, run)) throw new RunRefused('TOOL_NOT_REQUESTED', command, thingOf(command));
  if (!isOpen(command, task)) throw new RunRefused('TOOL_FINISHED', command, thingOf(command));
  return [{ kind: 'ToolProgressed', ...contentOf(command) }];
};

/** The first response stands, also when it was given in place of a worker that was thought dead. */
export const finishTool = (command: FinishTool, run: Run): RunFact[] => {
  const requested = requestedTool(command, run);
  if (requested && !isOpen(command, workOf(run)?.openTasks.get(requested.taskKey))) return [];
  requireSpeaker(command, command, run);
  if (!requested) throw new RunRefused('TOOL_NOT_REQUESTED', command, thingOf(command));
  return [{ kind: 'ToolFinished', ...contentOf(command) }];
};

/** Every request gets exactly one response: who ends a task or a run first answers what is still open in it. */
export const interruptedTools = (run: Run): RunFactOf<'ToolFinished'>[] => openTools(run).map(interrupted);

export const interrupted = ({ task, agentId, toolUseId, tool }: OpenTool): RunFactOf<'ToolFinished'> => ({
  kind: 'ToolFinished',
  agentId,
  node: task.node,
  taskKey: task.key,
  iteration: task.iteration,
  attempt: task.attempt,
  toolUseId,
  tool,
  ok: false,
  error: 'interrupted',
});

type ToolCommand = RequestTool | ProgressTool | FinishTool;

const requestedTool = (command: ToolCommand, run: Run): RequestedTool | undefined => {
  const requested = workOf(run)?.tools.get(command.toolUseId);
  if (requested && (requested.tool !== command.tool || requested.taskKey !== command.taskKey)) {
    throw new RunRefused('TOOL_CONFLICT', command, thingOf(command));
  }
  return requested;
};

const isOpen = ({ toolUseId }: ToolCommand, task: OpenTask | undefined): boolean =>
  task?.openTools.some((call) => call.toolUseId === toolUseId) ?? false;

const thingOf = ({ toolUseId, tool }: ToolCommand): string => `call ${toolUseId} of ${tool}`;
