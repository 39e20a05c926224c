import { z } from 'zod';
import { Name, RequestId, RunId, ThreadId } from '../ids.js';
import { RunView } from './native.http.js';

/** A run as one who asks for it by its id sees it. */
export const RunDetail = RunView.extend({
  agent: Name,
  appId: Name,
  createdAt: z.iso.datetime(),
  userId: z.string(),
  threadId: ThreadId.optional(),
  projectId: z.string().optional(),
  retryOf: RunId.optional(),
  /** What waits for a person or a client. */
  openInputs: z.array(z.object({ requestId: RequestId, type: z.string(), expiresAt: z.iso.datetime().optional() })),
  output: z.unknown().optional(),
  error: z.object({ code: z.string(), reason: z.string() }).optional(),
});
export type RunDetail = z.infer<typeof RunDetail>;

export const RunStep = z.object({
  key: z.string(),
  node: Name,
  iteration: z.int().nonnegative(),
  attempt: z.int().positive(),
  state: z.enum(['RUNNING', 'RETRYING', 'SUCCESS', 'FAILURE', 'SKIPPED']),
  startedAt: z.iso.datetime(),
  finishedAt: z.iso.datetime().nullable(),
  output: z.unknown().optional(),
  error: z.unknown().optional(),
});
export type RunStep = z.infer<typeof RunStep>;

const Said = z.object({ sequence: z.int().nonnegative(), ts: z.iso.datetime() });

export const RunSaidMessage = Said.extend({
  from: z.string(),
  role: z.string(),
  content: z.unknown(),
  round: z.int().nonnegative(),
  node: Name,
  attempt: z.int().positive(),
});
export type RunSaidMessage = z.infer<typeof RunSaidMessage>;

export const RunLogLine = Said.extend({
  level: z.string(),
  message: z.string(),
  source: z.string(),
  node: Name,
  payload: z.unknown().optional(),
});
export type RunLogLine = z.infer<typeof RunLogLine>;

export const StepsAnswer = z.object({ steps: z.array(RunStep) });
export const MessagesAnswer = z.object({ messages: z.array(RunSaidMessage) });
export const LogsAnswer = z.object({ logs: z.array(RunLogLine) });
