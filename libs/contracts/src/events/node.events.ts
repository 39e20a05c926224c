import { z } from 'zod';
import { Name, RequestId, TaskKey } from '../ids.js';
import { PublicStamp, Speaker, Speech, Stamp } from './stamp.js';

export const NodeError = z.object({
  message: z.string(),
  name: z.string().optional(),
  code: z.string().optional(),
  retryable: z.boolean().optional(),
});
export type NodeError = z.infer<typeof NodeError>;

/** The tasks of a superstep of several nodes. Never their input: the log would grow with the square of the run. */
export const NodeScheduled = Stamp.extend({
  kind: z.literal('NodeScheduled'),
  tasks: z
    .array(z.object({ key: TaskKey, node: Name, iteration: z.int().nonnegative(), inputHash: z.string().min(1) }))
    .min(1),
});

export const NodeStarted = PublicStamp.extend({
  kind: z.literal('NodeStarted'),
  ...Speaker,
  /** True after a wait: what the attempt before said still stands. Absent: it is superseded. */
  continues: z.boolean().optional(),
  /** The task is scheduled by this very event: its step is this node alone, and its worker has begun it. */
  scheduled: z.object({ inputHash: z.string().min(1) }).optional(),
});

export const NodeFinished = PublicStamp.extend({
  kind: z.literal('NodeFinished'),
  ...Speaker,
  result: z.enum(['SUCCESS', 'FAILURE', 'SKIPPED']),
  durationMs: z.number().nonnegative(),
  output: z.unknown().optional(),
  error: NodeError.optional(),
});

export const NodeRetryScheduled = PublicStamp.extend({
  kind: z.literal('NodeRetryScheduled'),
  ...Speaker,
  error: NodeError,
  retryAt: z.iso.datetime(),
});

/** The task is released and nothing is held in memory until these are answered. */
export const NodeSuspended = Stamp.extend({
  kind: z.literal('NodeSuspended'),
  ...Speaker,
  requestIds: z.array(RequestId).min(1),
});

/** The result of a named durable step inside a node: given back, not done again, when the node runs again. */
export const EffectRecorded = Stamp.extend({
  kind: z.literal('EffectRecorded'),
  ...Speaker,
  key: z.string().min(1).max(1_000),
  value: z.unknown(),
});

export const AgentChanged = Stamp.extend({
  kind: z.literal('AgentChanged'),
  ...Speech,
  fromAgentId: Name,
  toAgentId: Name,
});
