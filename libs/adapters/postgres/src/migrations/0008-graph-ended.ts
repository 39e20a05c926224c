import { AllowTrailKind } from './trail-kinds.js';

/** As migration 5 has them: what a migration stands for never changes. */
const KINDS_BEFORE = [
  ...['RunRequested', 'RunQueued', 'RunStarted', 'RunPaused', 'RunResumed', 'RunCancelRequested', 'RunFinished'],
  ...['RunFailed', 'RunCanceled', 'PolicySwitched', 'CheckpointSaved', 'GoalAchieved', 'RetryRequested'],
  ...['ImprovementProvided', 'NodeScheduled', 'NodeStarted', 'NodeFinished', 'NodeRetryScheduled', 'NodeSuspended'],
  ...['EffectRecorded', 'AgentChanged', 'TokenDelta', 'ThoughtDelta', 'ModelRequested', 'ModelResponded'],
  ...['ToolRequested', 'ToolProgressed', 'ToolFinished', 'InputRequested', 'InputProvided', 'InputExpired'],
  ...['MessageAdded', 'SubagentProgressed', 'SubagentFailed', 'SubagentFinished', 'SpecialistFinished'],
  ...['GraphEdited', 'LogWritten', 'ProgressReported'],
];

export const KINDS_WITH_GRAPH_ENDED = KINDS_BEFORE.flatMap((kind) =>
  kind === 'RunFinished' ? ['GraphEnded', kind] : [kind],
);

/** One kind more: the worker's word that a graph has ended. */
export class AllowGraphEnded extends AllowTrailKind {
  protected readonly before = KINDS_BEFORE;
  protected readonly after = KINDS_WITH_GRAPH_ENDED;
}
