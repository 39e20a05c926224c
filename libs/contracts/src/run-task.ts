import { z } from 'zod';
import type { RunEvent } from './events/run-event.js';
import { Name, RunId, TenantId } from './ids.js';

/** A run that is to be moved on: what travels in the queue TASKS, at most once for each run. Made again from the log. */
export const RunTask = z.object({
  version: z.literal('1'),
  work: z.literal('run'),
  tenantId: TenantId,
  runId: RunId,
  agent: Name,
  agentVersion: z.string().min(1),
  /** How far the run's history went when this was offered: a worker reads at least so much. */
  place: z.int().positive(),
  /** The whole history up to `place` while it is short, so that a worker that is given it first reads nothing. */
  seed: z
    .object({
      events: z.array(z.custom<RunEvent>((event) => typeof event === 'object' && event !== null && 'kind' in event)),
      position: z.int().nonnegative(),
      sequence: z.int().min(-1),
      /** As the last event's header has it. */
      places: z.string().optional(),
    })
    .optional(),
});
export type RunTask = z.infer<typeof RunTask>;
export type RunSeed = NonNullable<RunTask['seed']>;
