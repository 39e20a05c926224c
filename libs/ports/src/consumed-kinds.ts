import type { RunEventKind } from '@millrace/contracts';

/** What an orchestrator is told of: a fact after which something may have to follow that is no worker's to do. */
export const OVERSEEN_KINDS = [
  'RunStarted',
  'RunResumed',
  'RunCancelRequested',
  'GoalAchieved',
  'GraphEnded',
  'InputRequested',
  'InputProvided',
  'InputExpired',
] as const satisfies readonly RunEventKind[];

/** What makes run-api look at a run: a wish, or an end that concerns other runs. */
export const RETRY_KINDS = ['RetryRequested', 'GoalAchieved', 'FollowUpDue'] as const satisfies readonly RunEventKind[];
