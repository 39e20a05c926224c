import { z } from 'zod';
import { Name, RunId } from '../ids.js';
import { RunStatus } from '../run-status.js';
import { RunCreated } from './native.http.js';

export const RetryBody = z.strictObject({ note: z.string().max(10_000).optional() });
/** The run in place of the old one, which waits until the run that is to improve it has ended. */
export const RetryCreated = RunCreated.extend({ improvementRunId: RunId });
export type RetryCreated = z.infer<typeof RetryCreated>;

/** What somebody who is to do better has to know of a run, in few words whatever its length. */
export const RunImprovement = z.object({
  runId: RunId,
  agent: Name,
  status: RunStatus,
  /** What was asked, what happened last and how it ended: one line each. */
  summary: z.string().max(4_000),
  /** Newest last. */
  recentErrors: z
    .array(
      z.object({
        ts: z.iso.datetime(),
        message: z.string().max(400),
        node: Name.optional(),
        code: z.string().max(100).optional(),
      }),
    )
    .max(10),
});
export type RunImprovement = z.infer<typeof RunImprovement>;
