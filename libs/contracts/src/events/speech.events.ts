import { z } from 'zod';
import { InputRequest } from '../input-requests.js';
import { Name, RequestId } from '../ids.js';
import { Usage } from './run-lifecycle.events.js';
import { PublicStamp, Speaker, Speech, ToolStamp } from './stamp.js';

const Text = z.string().min(1);

export const TokenDelta = PublicStamp.extend({ kind: z.literal('TokenDelta'), ...Speech, text: Text });
export const ThoughtDelta = PublicStamp.extend({ kind: z.literal('ThoughtDelta'), ...Speech, text: Text });

export const ModelRequested = PublicStamp.extend({
  kind: z.literal('ModelRequested'),
  ...Speaker,
  callId: z.string().min(1),
  model: z.string().min(1),
  /** A summary (message count, tools offered), never the whole prompt. */
  request: z.unknown(),
});

export const ModelResponded = PublicStamp.extend({
  kind: z.literal('ModelResponded'),
  ...Speaker,
  callId: z.string().min(1),
  model: z.string().min(1),
  content: z.unknown(),
  usage: Usage,
  stopReason: z.string(),
});

const Tool = { ...Speaker, toolUseId: z.string().min(1).max(256), tool: Name };

/** The intent, stored before the call. `toolUseId` is stable over attempts: tools may use it for idempotency. */
export const ToolRequested = ToolStamp.extend({
  kind: z.literal('ToolRequested'),
  ...Tool,
  input: z.unknown(),
  needsApproval: z.boolean().optional(),
});

export const ToolProgressed = ToolStamp.extend({ kind: z.literal('ToolProgressed'), ...Tool, status: z.string() });

export const ToolFinished = ToolStamp.extend({
  kind: z.literal('ToolFinished'),
  ...Tool,
  ok: z.boolean(),
  output: z.unknown().optional(),
  error: z.string().optional(),
});

export const InputRequested = PublicStamp.extend({
  kind: z.literal('InputRequested'),
  ...Speaker,
  requestId: RequestId,
  request: InputRequest,
  expiresAt: z.iso.datetime().optional(),
});

export const InputProvided = PublicStamp.extend({
  kind: z.literal('InputProvided'),
  requestId: RequestId,
  response: z.unknown(),
  by: z.string().min(1).max(256),
});

export const InputExpired = PublicStamp.extend({ kind: z.literal('InputExpired'), requestId: RequestId });

export const MessageAdded = PublicStamp.extend({
  kind: z.literal('MessageAdded'),
  ...Speech,
  from: z.string().min(1),
  role: z.enum(['user', 'agent', 'node', 'system', 'tool']),
  content: z.unknown(),
  round: z.int().nonnegative(),
  model: z.string().optional(),
  usage: Usage.optional(),
});

const Subagent = { ...Speech, toolUseId: z.string().min(1).max(256), subagentId: z.string().min(1).max(256) };

export const SubagentProgressed = PublicStamp.extend({
  kind: z.literal('SubagentProgressed'),
  ...Subagent,
  json: z.unknown(),
});
export const SubagentFailed = PublicStamp.extend({
  kind: z.literal('SubagentFailed'),
  ...Subagent,
  error: z.string(),
});
export const SubagentFinished = PublicStamp.extend({
  kind: z.literal('SubagentFinished'),
  ...Subagent,
  json: z.unknown().optional(),
});

export const SpecialistFinished = PublicStamp.extend({
  kind: z.literal('SpecialistFinished'),
  ...Speech,
  specialistId: z.string().min(1),
  outcome: z.string().min(1),
  summary: z.string(),
});

export const GraphEdited = PublicStamp.extend({
  kind: z.literal('GraphEdited'),
  ...Speech,
  edits: z.array(z.unknown()).min(1),
});

export const LogWritten = PublicStamp.extend({
  kind: z.literal('LogWritten'),
  ...Speech,
  level: z.enum(['debug', 'info', 'warn', 'error']),
  message: z.string(),
  payload: z.unknown().optional(),
  source: z.string().min(1),
});

export const ProgressReported = PublicStamp.extend({
  kind: z.literal('ProgressReported'),
  ...Speech,
  message: z.string(),
  fraction: z.number().min(0).max(1).optional(),
  toolId: z.string().optional(),
});
