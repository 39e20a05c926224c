import { z } from 'zod';
import { RunId, ThreadId } from '../ids.js';
import { ThreadRunStatus } from '../run-status.js';
import { PrintableName } from './names.http.js';

export const CreateThreadBody = z.strictObject({
  agent: PrintableName.optional(),
  title: z.string().max(500).optional(),
  /** Of the thread and of every run in it. */
  projectId: PrintableName.optional(),
});
export const ThreadCreatedAnswer = z.object({ threadId: ThreadId });
export const ThreadParams = z.object({ id: ThreadId });
export const PostMessageBody = z.strictObject({
  content: z.string().min(1),
  files: z.array(z.looseObject({ name: z.string().optional(), mediaType: z.string().optional() })).optional(),
});
export const ThreadRunView = z.object({
  id: RunId,
  status: ThreadRunStatus,
  createdAt: z.iso.datetime(),
  startedAt: z.iso.datetime().nullable(),
  finishedAt: z.iso.datetime().nullable(),
});
