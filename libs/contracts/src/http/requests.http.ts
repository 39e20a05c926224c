import { z } from 'zod';
import { RequestId, RunId, ThreadId } from '../ids.js';
import { described } from './described.js';

/** Chosen by the client for one creation, and sent again with each repeat of it. */
export const IdempotencyKey = z.string().regex(/^[\x21-\x7e]{1,255}$/, 'must be 1 to 255 visible ASCII characters');

export const RunInputParams = z.object({ id: RunId, requestId: RequestId });

/** Which shape the response must have is known once the request is: see INPUT_RESPONSES. */
export const AnswerBody = z.strictObject({ response: described('InputResponse') });

export const DoneBody = z.strictObject({ note: z.string().max(10_000).optional() });

export const ThreadView = z.object({
  id: ThreadId,
  agent: z.string().optional(),
  title: z.string().optional(),
  projectId: z.string().optional(),
  createdAt: z.iso.datetime(),
});
export type ThreadView = z.infer<typeof ThreadView>;
