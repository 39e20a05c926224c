import { z } from 'zod';
import { BlobRef } from './blob-ref.js';
import { NodeError } from './events/node.events.js';
import { Name, RunId, TaskKey, TenantId } from './ids.js';

/** Work to be done: what travels in the queue TASKS. Gone once done; it can be made again from the log. */
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
  /** The queue held no other message of the run: if the task has been started, its worker is gone. */
  isOnlyMessage: z.literal(true).optional(),
});
export type NodeTask = z.infer<typeof NodeTask>;

/** A task whose input is at hand. */
export type ReadyTask = NodeTask & { readonly input: string };
