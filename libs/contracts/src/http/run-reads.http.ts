import { z } from 'zod';
import { RetryOnFailure, Usage } from '../events/run-lifecycle.events.js';
import { Name, RequestId, RunId } from '../ids.js';
import { InputRequest } from '../input-requests.js';
import { RunSummary } from './run-list.http.js';

export const OpenInput = z.object({
  requestId: RequestId,
  type: z.string(),
  /** As its event has it. */
  request: InputRequest,
  expiresAt: z.iso.datetime().optional(),
});

/** A run as one who asks for it by its id sees it. */
export const RunDetail = RunSummary.extend({
  /** Once it is dispatched. */
  agentVersion: z.string().optional(),
  /** The run whose end it waits for, or waited for, before it was dispatched. */
  improvedBy: RunId.optional(),
  improves: RunId.optional(),
  retryOnFailure: RetryOnFailure.optional(),
  /** What waits for a person or a client, with all one needs to answer it. */
  openInputs: z.array(OpenInput),
  output: z.unknown().optional(),
  goalAchieved: z.boolean(),
  /** What its models have used up so far. */
  usage: Usage,
  toolsUsed: z.array(z.string()),
  sources: z.array(z.string()),
  /** Of a cancel that was asked for, or has happened. */
  cancel: z.object({ by: z.string().optional(), reason: z.string().optional() }).optional(),
});
export type RunDetail = z.infer<typeof RunDetail>;

export const RunStep = z.object({
  key: z.string(),
  node: Name,
  iteration: z.int().nonnegative(),
  /** How many times it was started. */
  attempt: z.int().nonnegative(),
  state: z.enum(['SCHEDULED', 'RUNNING', 'RETRYING', 'WAITING', 'SUCCESS', 'FAILURE', 'SKIPPED']),
  startedAt: z.iso.datetime().nullable(),
  finishedAt: z.iso.datetime().nullable(),
  durationMs: z.number().nonnegative().optional(),
  retryAt: z.iso.datetime().optional(),
  output: z.unknown().optional(),
  error: z.unknown().optional(),
});
export type RunStep = z.infer<typeof RunStep>;

const Said = z.object({ sequence: z.int().nonnegative(), ts: z.iso.datetime() });

/** What people asked and answered, and what agents and their models said. What people asked for has no sequence. */
export const RunSaidMessage = z.object({
  sequence: z.int().nonnegative().nullable(),
  ts: z.iso.datetime(),
  type: z.enum(['request', 'answer', 'message', 'model_response']),
  from: z.string(),
  role: z.string(),
  content: z.unknown(),
  agentId: z.string().optional(),
  node: Name.optional(),
  attempt: z.int().positive().optional(),
  round: z.int().nonnegative().optional(),
  /** What a model thought on the way to what it says. */
  thinking: z.string().optional(),
  model: z.string().optional(),
  usage: Usage.optional(),
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

/** One line a person reads. */
export const TrailLine = Said.extend({
  kind: z.string(),
  text: z.string(),
  node: Name.optional(),
  agentId: z.string().optional(),
});
export type TrailLine = z.infer<typeof TrailLine>;

export const StepsAnswer = z.object({ steps: z.array(RunStep) });
export const MessagesAnswer = z.object({ messages: z.array(RunSaidMessage) });
export const LogsAnswer = z.object({ logs: z.array(RunLogLine) });
export const TrailAnswer = z.object({ trail: z.array(TrailLine) });
