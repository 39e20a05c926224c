import { Migration } from '@mikro-orm/migrations';

/** What a retry waits for, what an improving run is for, how often a run is retried by itself; and a kind more. */
export class LinkRuns extends Migration {
  override up(): void {
    this.addSql(
      `alter table "runs" add column "improved_by" text null, add column "improves" text null,
        add column "retry_on_failure" json null`,
    );
    this.allowKinds(
      KINDS_BEFORE.flatMap((kind) => (kind === 'RetryRequested' ? [kind, 'ImprovementProvided'] : [kind])),
    );
  }

  override down(): void {
    this.addSql('alter table "runs" drop column "improved_by", drop column "improves", drop column "retry_on_failure"');
    this.allowKinds(KINDS_BEFORE);
  }

  private allowKinds(kinds: readonly string[]): void {
    this.addSql('alter table "trail" drop constraint "trail_kind_check"');
    const named = kinds.map((kind) => `'${kind}'`).join(', ');
    this.addSql(`alter table "trail" add constraint "trail_kind_check" check ("kind" in (${named}))`);
  }
}

/** As migration 2 has them: what a migration stands for never changes. */
const KINDS_BEFORE = [
  ...['RunRequested', 'RunQueued', 'RunStarted', 'RunPaused', 'RunResumed', 'RunCancelRequested', 'RunFinished'],
  ...['RunFailed', 'RunCanceled', 'PolicySwitched', 'CheckpointSaved', 'GoalAchieved', 'RetryRequested'],
  ...['NodeScheduled', 'NodeStarted', 'NodeFinished', 'NodeRetryScheduled', 'NodeSuspended', 'EffectRecorded'],
  ...['AgentChanged', 'TokenDelta', 'ThoughtDelta', 'ModelRequested', 'ModelResponded', 'ToolRequested'],
  ...['ToolProgressed', 'ToolFinished', 'InputRequested', 'InputProvided', 'InputExpired', 'MessageAdded'],
  ...['SubagentProgressed', 'SubagentFailed', 'SubagentFinished', 'SpecialistFinished', 'GraphEdited', 'LogWritten'],
  'ProgressReported',
];
