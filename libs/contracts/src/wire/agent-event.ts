import { z } from 'zod';
import { Usage } from '../events/run-lifecycle.events.js';
import { RequestId, RunId } from '../ids.js';
import { InputRequest } from '../input-requests.js';

/**
 * Who says it, on what is shown while a node works. A higher `attempt` of a task takes the place of a lower one when that
 * died or failed, and goes on behind it when it had waited for somebody; only the native dialect tells which
 * (`continues` of NodeStarted).
 */
const By = { node: z.string(), taskKey: z.string(), attempt: z.int().positive() };

/** `callId` is the same on all that is said of one call of a function. */
const Call = { callId: z.string().min(1), name: z.string().min(1) };

const Nested = { callId: z.string().min(1), subagentId: z.string().min(1) };

const event = <T extends string, S extends z.ZodRawShape>(type: T, shape: S) =>
  z.object({ type: z.literal(type), ...shape });

/** Until it is answered under its `requestId`, the node that asked waits; without holding anything. */
const Asked = { requestId: RequestId, expiresAt: z.iso.datetime().optional() };
const [waitForInput, waitForChoice, readGraph, inspectNode, applyEdits, queryConsent] = InputRequest.options;

export const WaitForInputEvent = waitForInput.extend(Asked);
export const WaitForChoiceEvent = waitForChoice.extend(Asked);
export const ReadGraphEvent = readGraph.extend(Asked);
export const InspectNodeEvent = inspectNode.extend(Asked);
export const ApplyEditsEvent = applyEdits.extend(Asked);
export const QueryConsentEvent = queryConsent.extend(Asked);

/** What the client has to answer. */
export const SuspendEvent = z.discriminatedUnion('type', [
  WaitForInputEvent,
  WaitForChoiceEvent,
  ReadGraphEvent,
  InspectNodeEvent,
  ApplyEditsEvent,
  QueryConsentEvent,
]);
export type SuspendEvent = z.infer<typeof SuspendEvent>;

/**
 * The 21 events of the agent dialect. A run ends with `complete` or `error`, and then `finish`, which is always last.
 */
export const AgentEvent = z.discriminatedUnion('type', [
  event('start', { runId: RunId, agent: z.string(), agentVersion: z.string() }),
  event('thought', { text: z.string().min(1), ...By }),
  event('functionCall', { ...Call, args: z.unknown(), needsApproval: z.boolean().optional() }),
  event('functionCallUpdate', {
    callId: z.string().min(1),
    name: z.string().min(1).optional(),
    status: z.string(),
    /**
     * With `needsApproval`, the request to answer with a `toolApproval`. Else the request that was answered or has
     * expired: it is the call the server made to its clients, and none of them need answer it any more.
     */
    requestId: RequestId.optional(),
  }),
  event('functionResult', {
    ...Call,
    ok: z.boolean(),
    result: z.unknown().optional(),
    error: z.string().optional(),
  }),
  event('subagentAddJson', { ...Nested, json: z.unknown() }),
  event('subagentError', { ...Nested, error: z.string() }),
  event('subagentFinish', { ...Nested, json: z.unknown().optional() }),
  event('content', {
    ...By,
    role: z.enum(['user', 'agent', 'node', 'system', 'tool']),
    text: z.string(),
    /** True: a piece of what the node is saying. False: a whole message, pieces of which may have come before. */
    partial: z.boolean(),
    /** Of a whole message: as it was said, when it is more than text. */
    content: z.unknown().optional(),
  }),
  event('turnComplete', { ...By, result: z.enum(['SUCCESS', 'FAILURE', 'SKIPPED']) }),
  event('sendRequest', { ...By, callId: z.string().min(1), model: z.string(), request: z.unknown() }),
  ...SuspendEvent.options,
  event('graphEdit', { ...By, edits: z.array(z.unknown()).min(1) }),
  event('complete', {
    result: z.unknown(),
    summary: z.string(),
    sources: z.array(z.string()),
    usage: Usage,
  }),
  /** `aborted`: somebody asked for it, nothing went wrong. */
  event('error', { message: z.string(), code: z.string().min(1), aborted: z.boolean() }),
  event('finish', {}),
]);
export type AgentEvent = z.infer<typeof AgentEvent>;
export type AgentEventType = AgentEvent['type'];
export type AgentEventOf<T extends AgentEventType> = Extract<AgentEvent, { type: T }>;
