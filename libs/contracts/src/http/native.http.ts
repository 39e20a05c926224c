import { z } from 'zod';
import { INPUT_RESPONSES } from '../input-requests.js';
import { RetryOnFailure } from '../events/run-lifecycle.events.js';
import { Name, RunId, ThreadId } from '../ids.js';
import { RunStatus } from '../run-status.js';
import { described } from './described.js';
import { PrintableName } from './names.http.js';
import { queryNumber } from './query-number.js';

/**
 * Here and in every other body and query: a field nobody knows is refused, since it would change nothing, unseen. Only what
 * agents and people say to each other (input, answers, files) is theirs to shape.
 */
export const CreateRunBody = z.strictObject({
  agent: PrintableName.optional(),
  appId: PrintableName,
  policy: PrintableName,
  input: z.unknown().optional(),
  seedState: z.unknown().optional(),
  threadId: ThreadId.optional(),
  projectId: PrintableName.optional(),
  /** Left out, a run that fails stays as it is until somebody asks for a retry. */
  retryOnFailure: z.strictObject(RetryOnFailure.shape).optional(),
});
export type CreateRunBody = z.infer<typeof CreateRunBody>;

export const RunCreated = z.object({ runId: RunId });
export type RunCreated = z.infer<typeof RunCreated>;

export const RunView = z.object({
  id: RunId,
  status: RunStatus,
  progress: z.number().min(0).max(1),
  startedAt: z.iso.datetime().nullable(),
  finishedAt: z.iso.datetime().nullable(),
  policy: Name,
  policyVersion: z.int().positive(),
  stepsCompleted: z.int().nonnegative(),
});
export type RunView = z.infer<typeof RunView>;

export const RunParams = z.object({ id: RunId });
export const EventsQuery = z.strictObject({
  fromSeq: queryNumber(0, Number.MAX_SAFE_INTEGER, 0),
  limit: queryNumber(1, 1_000, 100),
});
/** Events are handed on as they are stored; what they are is in the document beside this. */
export const EventsPage = z.object({ events: z.array(described('RunEvent')), hasMore: z.boolean() });

export const CommandBody = z.strictObject({ reason: z.string().max(10_000).optional() });
/** For who cannot set headers: good for one run and one connection, until `expiresAt`. */
export const StreamTicketAnswer = z.object({ ticket: z.string(), expiresAt: z.iso.datetime() });
export type StreamTicketAnswer = z.infer<typeof StreamTicketAnswer>;

export const RunStatusAnswer = z.object({ status: RunStatus });

/** The answer to an open request; which of these shapes it must have is known once the request is. */
export const ProvideInputBody = z.strictObject({ response: z.union(Object.values(INPUT_RESPONSES)) });
