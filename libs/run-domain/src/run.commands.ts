import type { RequestId, RunEventKind, RunFactOf, RunRef } from '@millrace/contracts';

/** An order to one run. Its content has the shape of the fact it asks for, so nothing is declared twice. */
type Order<Kind extends string, Content = unknown> = RunRef & { readonly kind: Kind } & Content;
type ContentOf<Kind extends RunEventKind> = Omit<RunFactOf<Kind>, 'kind'>;

export type RequestRun = Order<'RequestRun', ContentOf<'RunRequested'>>;
export type QueueRun = Order<'QueueRun', ContentOf<'RunQueued'>>;
/** What else the fact says (agent, app, policy) was fixed by the request. */
export type StartRun = Order<'StartRun', Pick<RunFactOf<'RunStarted'>, 'agentVersion'>>;
export type PauseRun = Order<'PauseRun', ContentOf<'RunPaused'>>;
export type ResumeRun = Order<'ResumeRun', ContentOf<'RunResumed'>>;
export type CancelRun = Order<'CancelRun', ContentOf<'RunCancelRequested'>>;
export type ConfirmCancel = Order<'ConfirmCancel'>;
export type EndGraph = Order<'EndGraph', Omit<ContentOf<'GraphEnded'>, 'standsAlone'>>;
export type FinishRun = Order<'FinishRun', ContentOf<'RunFinished'>>;
export type FailRun = Order<'FailRun', ContentOf<'RunFailed'>>;
export type AchieveGoal = Order<'AchieveGoal', ContentOf<'GoalAchieved'>>;
export type RequestRetry = Order<'RequestRetry', Omit<ContentOf<'RetryRequested'>, 'automatic'>>;
/** Whether there is a retry at all is read from the history. */
export type RetryAfterFailure = Order<
  'RetryAfterFailure',
  Required<Pick<RunFactOf<'RetryRequested'>, 'by' | 'retryRunId'>>
>;
export type ProvideImprovement = Order<'ProvideImprovement', ContentOf<'ImprovementProvided'>>;
export type SaveCheckpoint = Order<'SaveCheckpoint', ContentOf<'CheckpointSaved'>>;

export type ScheduleNodes = Order<'ScheduleNodes', ContentOf<'NodeScheduled'>>;
/** Whether the start continues what was said before is read from the history. */
export type StartNode = Order<'StartNode', Omit<ContentOf<'NodeStarted'>, 'continues'>>;
export type FinishNode = Order<'FinishNode', ContentOf<'NodeFinished'>>;
export type ScheduleRetry = Order<'ScheduleRetry', ContentOf<'NodeRetryScheduled'>>;
export type SuspendNode = Order<'SuspendNode', ContentOf<'NodeSuspended'>>;
export type Say = Order<'Say', { readonly fact: SpokenFact }>;

export type RequestTool = Order<'RequestTool', ContentOf<'ToolRequested'>>;
export type ProgressTool = Order<'ProgressTool', ContentOf<'ToolProgressed'>>;
export type FinishTool = Order<'FinishTool', ContentOf<'ToolFinished'>>;

export type RequestInput = Order<'RequestInput', ContentOf<'InputRequested'>>;
export type ProvideInput = Order<'ProvideInput', ContentOf<'InputProvided'>>;
export type ExpireInput = Order<'ExpireInput', { readonly requestId: RequestId }>;

export type RunCommand =
  | RequestRun
  | QueueRun
  | StartRun
  | PauseRun
  | ResumeRun
  | CancelRun
  | ConfirmCancel
  | EndGraph
  | FinishRun
  | FailRun
  | AchieveGoal
  | RequestRetry
  | RetryAfterFailure
  | ProvideImprovement
  | SaveCheckpoint
  | ScheduleNodes
  | StartNode
  | FinishNode
  | ScheduleRetry
  | SuspendNode
  | Say
  | RequestTool
  | ProgressTool
  | FinishTool
  | RequestInput
  | ProvideInput
  | ExpireInput;

/** What a node says while it runs, beside the facts that have a command of their own. */
export const SPOKEN_KINDS = [
  'TokenDelta',
  'ThoughtDelta',
  'ModelRequested',
  'ModelResponded',
  'MessageAdded',
  'SubagentProgressed',
  'SubagentFailed',
  'SubagentFinished',
  'SpecialistFinished',
  'GraphEdited',
  'LogWritten',
  'ProgressReported',
  'EffectRecorded',
  'AgentChanged',
  'PolicySwitched',
] as const satisfies readonly RunEventKind[];
export type SpokenFact = RunFactOf<(typeof SPOKEN_KINDS)[number]>;

/**
 * Whether the command, sent again, yields nothing. Not so for what the log cannot tell from a second wish: a start
 * (its number is the fence), an answer (somebody else's may be there), speech without an id, progress, a retry that does not name its run.
 * Those decisions are one fact each, and their command is done once that fact is stored.
 */
export const isRepeatable = (command: RunCommand): boolean => {
  switch (command.kind) {
    case 'StartNode':
    case 'ProvideInput':
    case 'ProgressTool':
      return false;
    case 'RequestRetry':
      return command.retryRunId !== undefined;
    case 'Say':
      return REPEATABLE_SPEECH.has(command.fact.kind);
    case 'RequestRun':
    case 'QueueRun':
    case 'StartRun':
    case 'PauseRun':
    case 'ResumeRun':
    case 'CancelRun':
    case 'ConfirmCancel':
    case 'EndGraph':
    case 'FinishRun':
    case 'FailRun':
    case 'AchieveGoal':
    case 'RetryAfterFailure':
    case 'ProvideImprovement':
    case 'SaveCheckpoint':
    case 'ScheduleNodes':
    case 'FinishNode':
    case 'ScheduleRetry':
    case 'SuspendNode':
    case 'RequestTool':
    case 'FinishTool':
    case 'RequestInput':
    case 'ExpireInput':
      return true;
  }
};

const REPEATABLE_SPEECH: ReadonlySet<RunEventKind> = new Set(['EffectRecorded', 'ModelResponded', 'PolicySwitched']);

/** The content of the fact a command asks for. */
export const contentOf = <C extends RunCommand>(command: C): Omit<C, 'kind' | keyof RunRef> => {
  const { kind, tenantId, runId, ...content } = command;
  return content;
};
