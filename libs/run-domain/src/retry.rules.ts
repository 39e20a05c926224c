import type { RunFact } from '@millrace/contracts';
import { requireKnown } from './guards.js';
import {
  contentOf,
  type AchieveGoal,
  type ProvideImprovement,
  type RequestRetry,
  type RetryAfterFailure,
} from './run.commands.js';
import { hasEnded } from './run.queries.js';
import { RunRefused } from './run-refused.js';
import type { Run } from './run.state.js';

/** A person's word that the goal is reached, whatever the nodes still do; it may come after the end as well. */
export const achieveGoal = (command: AchieveGoal, run: Run): RunFact[] =>
  requireKnown(command, run).goalAchieved ? [] : [{ kind: 'GoalAchieved', ...contentOf(command) }];

/**
 * Each one is a wish of its own, for one more run: two with the same note are two, unless they name the same run. The
 * name is a key then, and a key is of the person who used it.
 */
export const requestRetry = (command: RequestRetry, run: Run): RunFact[] => {
  const known = requireKnown(command, run);
  if (!hasEnded(known)) throw new RunRefused('RUN_NOT_ENDED', command);
  const before = command.retryRunId && known.retries.find(({ retryRunId }) => retryRunId === command.retryRunId);
  if (!before) return [{ kind: 'RetryRequested', ...contentOf(command) }];
  const isSame = before.by === command.by && before.note === command.note;
  if (!isSame) throw new RunRefused('RUN_EXISTS', command, `retry ${command.retryRunId}`);
  return [];
};

/** Only what failed, as often as was asked for, and not once somebody is content with it or has asked themselves. */
export const retryAfterFailure = (command: RetryAfterFailure, run: Run): RunFact[] => {
  const { status, goalAchieved, retries, retryOnFailure } = requireKnown(command, run);
  if (status !== 'FAILED' || goalAchieved || retries.length > 0) return [];
  if (retryOnFailure === undefined || retryOnFailure.maxRetries === 0) return [];
  return [{ kind: 'RetryRequested', ...contentOf(command), automatic: true }];
};

/** Provided once, and of no use to a run that has ended meanwhile. */
export const provideImprovement = (command: ProvideImprovement, run: Run): RunFact[] => {
  const known = requireKnown(command, run);
  if (hasEnded(known) || known.awaitsImprovement !== command.improvementRunId) return [];
  return [{ kind: 'ImprovementProvided', ...contentOf(command) }];
};
