import { Migration } from '@mikro-orm/migrations';

/** One kind more: the worker's word that a graph has ended. */
export class AllowGraphEnded extends Migration {
  override up(): void {
    this.allowKinds(KINDS_BEFORE.flatMap((kind) => (kind === 'RunFinished' ? ['GraphEnded', kind] : [kind])));
  }

  override down(): void {
    this.allowKinds(KINDS_BEFORE);
  }

  private allowKinds(kinds: readonly string[]): void {
    this.addSql('alter table "trail" drop constraint "trail_kind_check"');
    const named = kinds.map((kind) => `'${kind}'`).join(', ');
    this.addSql(`alter table "trail" add constraint "trail_kind_check" check ("kind" in (${named}))`);
  }
}

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
