import { z } from 'zod';
import { BlobRef } from './blob-ref.js';
import { NodeError } from './events/node.events.js';
import { Name, RunId, TaskKey, TenantId } from './ids.js';

/**
 * One node of a step of several, for a worker beside the one that plays the graph: what travels in the queue TASKS, at
 * most once for each task. Gone once done; it can be made again from the log.
 */
export const NodeTask = z.object({
  version: z.literal('1'),
  tenantId: TenantId,
  runId: RunId,
  agent: Name,
  agentVersion: z.string().min(1),
  key: TaskKey,
  node: Name,
  iteration: z.int().nonnegative(),
  inputHash: z.string().min(1),
  /** Encoded by the runtime that made it; by reference when it is large. */
  input: z.union([z.string(), BlobRef]),
  nodeError: z.object({ node: Name, error: NodeError }).optional(),
  /** How far the run's history went when this was offered: a worker reads at least so much. Not in old tasks. */
  scheduledAt: z.int().positive().optional(),
});
export type NodeTask = z.infer<typeof NodeTask>;

/** A task whose input is at hand. */
export type ReadyTask = NodeTask & { readonly input: string };
