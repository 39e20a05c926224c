import { z } from 'zod';
import { Name, RunId, ThreadId } from '../ids.js';
import { PublicStamp, Speaker, Stamp } from './stamp.js';

const By = z.string().min(1).max(256);
const Reason = z.string().max(10_000);

export const Usage = z.object({
  inputTokens: z.int().nonnegative(),
  outputTokens: z.int().nonnegative(),
  model: z.string().optional(),
});
export type Usage = z.infer<typeof Usage>;

/** A run that fails is asked for again, by itself, so many times at most; each retry has one less. */
export const RetryOnFailure = z.object({ maxRetries: z.int().nonnegative().max(20) });
export type RetryOnFailure = z.infer<typeof RetryOnFailure>;

export const RunRequested = Stamp.extend({
  kind: z.literal('RunRequested'),
  agent: Name,
  appId: Name,
  policy: Name,
  input: z.unknown(),
  seedState: z.unknown().optional(),
  threadId: ThreadId.optional(),
  projectId: z.string().min(1).max(200).optional(),
  userId: By,
  retryOf: RunId.optional(),
  /** It is not dispatched before the run named here has ended, and what that found was provided. */
  improvedBy: RunId.optional(),
  /** It is there to improve the run named here, which waits for it. */
  improves: RunId.optional(),
  /** The retry it was asked for, of the run named here, while that run's own log may not say so yet. */
  retryAsked: z.object({ runId: RunId, by: By, note: Reason.optional() }).optional(),
  retryOnFailure: RetryOnFailure.optional(),
  forkOf: z.object({ runId: RunId, atSequence: z.int().nonnegative() }).optional(),
  idempotencyKey: z.string().min(1).max(255).optional(),
  /** What whoever sent the key left out, and was given a default for: a repeat is compared without it. */
  defaulted: z.array(z.enum(['agent', 'appId', 'policy'])).optional(),
});

export const RunQueued = Stamp.extend({ kind: z.literal('RunQueued'), waitingFor: z.string().min(1) });

export const RunStarted = PublicStamp.extend({
  kind: z.literal('RunStarted'),
  appId: Name,
  policy: Name,
  agent: Name,
  agentVersion: z.string().min(1),
});

export const RunPaused = PublicStamp.extend({ kind: z.literal('RunPaused'), by: By, reason: Reason.optional() });
export const RunResumed = PublicStamp.extend({ kind: z.literal('RunResumed'), by: By, reason: Reason.optional() });

export const RunCancelRequested = PublicStamp.extend({
  kind: z.literal('RunCancelRequested'),
  requestedBy: By,
  reason: Reason.optional(),
});

/** The run's graph has come to its end in a worker; the orchestrator makes the terminal event of it. */
export const GraphEnded = Stamp.extend({
  kind: z.literal('GraphEnded'),
  result: z.enum(['SUCCEEDED', 'FAILED']),
  summary: z.string(),
  stepsCompleted: z.int().nonnegative(),
  output: z.unknown().optional(),
  sources: z.array(z.string()),
  usage: Usage,
  toolsUsed: z.array(Name),
  /** Why it failed. */
  error: z.object({ reason: z.string(), errorCode: z.string().min(1) }).optional(),
  /** True when the end of the run concerns no other run, so that it can be ended without a look at its request. */
  standsAlone: z.boolean().optional(),
});

/** The run is about to end, and another run waits for that or follows from it: a retry, or the run it improves. */
export const FollowUpDue = Stamp.extend({ kind: z.literal('FollowUpDue') });

export const RunFinished = PublicStamp.extend({
  kind: z.literal('RunFinished'),
  summary: z.string(),
  stepsCompleted: z.int().nonnegative(),
  output: z.unknown(),
  sources: z.array(z.string()),
  usage: Usage,
  toolsUsed: z.array(Name),
});

export const RunFailed = PublicStamp.extend({
  kind: z.literal('RunFailed'),
  reason: z.string(),
  errorCode: z.string().min(1),
});

export const RunCanceled = PublicStamp.extend({
  kind: z.literal('RunCanceled'),
  canceledBy: By.optional(),
  reason: Reason.optional(),
});

export const PolicySwitched = PublicStamp.extend({
  kind: z.literal('PolicySwitched'),
  ...Speaker,
  fromPolicy: Name,
  toPolicy: Name,
  reason: z.string(),
});

export const CheckpointSaved = Stamp.extend({
  kind: z.literal('CheckpointSaved'),
  iteration: z.int().nonnegative(),
  node: Name,
  /** Opaque: where the body lies. */
  resumeToken: z.string().min(1),
});

export const GoalAchieved = Stamp.extend({ kind: z.literal('GoalAchieved'), by: By, note: Reason.optional() });

export const RetryRequested = Stamp.extend({
  kind: z.literal('RetryRequested'),
  by: By,
  note: Reason.optional(),
  /** The run that takes this one's place. Absent when whoever asked makes it without an improvement. */
  retryRunId: RunId.optional(),
  /** The run failed and was requested with `retryOnFailure`. */
  automatic: z.boolean().optional(),
});

/** What a run that was requested with `improvedBy` waits for; without an improvement when none was found. */
export const ImprovementProvided = Stamp.extend({
  kind: z.literal('ImprovementProvided'),
  improvementRunId: RunId,
  outcome: z.enum(['SUCCEEDED', 'FAILED', 'CANCELED']),
  improvement: z.string().min(1).max(10_000).optional(),
});
