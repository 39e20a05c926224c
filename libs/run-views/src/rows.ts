import type {
  InputRequest,
  InputRequestType,
  NodeError,
  RetryOnFailure,
  RunEventKind,
  RunEventOf,
  RunStatus,
  Usage,
} from '@millrace/contracts';

/**
 * What the tables hold. A field without a value is `null`, times are ISO 8601 in UTC with milliseconds, and texts are
 * storable (see storable.ts), so that a row that was stored and read again equals the row that was folded.
 */
export interface RunKey {
  readonly tenantId: string;
  readonly runId: string;
}

/** A row that belongs to a project says so itself, whatever table it is in. */
export interface InProject {
  readonly projectId: string | null;
}

export interface RunRow extends RunKey, InProject {
  readonly status: RunStatus;
  readonly agent: string;
  /** `null` until the run is dispatched. */
  readonly agentVersion: string | null;
  readonly appId: string;
  readonly policy: string;
  readonly policyVersion: number;
  readonly userId: string;
  readonly threadId: string | null;
  readonly retryOf: string | null;
  readonly improvedBy: string | null;
  readonly improves: string | null;
  readonly retryOnFailure: RetryOnFailure | null;
  readonly inputSummary: string;
  readonly output: unknown;
  readonly summary: string | null;
  readonly sources: readonly string[];
  readonly error: RunError | null;
  readonly cancel: RunCancel | null;
  readonly stepsCompleted: number;
  /** From 0 to 1: what nodes reported, and 1 once the run has succeeded. */
  readonly progress: number;
  readonly usage: Usage;
  readonly toolsUsed: readonly string[];
  readonly goalAchieved: boolean;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  /**
   * How far this row has come: of the last event that is no delta. The log is ahead of it when anything but deltas
   * follows this position.
   */
  readonly lastPosition: number;
  /** Of the last public event that is no delta; `null` before the first. */
  readonly lastSequence: number | null;
}
export interface RunError {
  readonly reason: string;
  readonly errorCode: string;
}
export interface RunCancel {
  readonly by: string | null;
  readonly reason: string | null;
}

export const STEP_STATUSES = ['SCHEDULED', 'RUNNING', 'RETRYING', 'WAITING', 'SUCCESS', 'FAILURE', 'SKIPPED'] as const;
export type StepStatus = (typeof STEP_STATUSES)[number];

export interface StepRow extends RunKey, InProject {
  readonly taskKey: string;
  readonly node: string;
  readonly iteration: number;
  readonly status: StepStatus;
  /** How many times it was started. */
  readonly attempt: number;
  /** What attempts before this one said is superseded. */
  readonly standsFrom: number;
  /** `null` until the step has been started. */
  readonly agentId: string | null;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  readonly durationMs: number | null;
  readonly retryAt: string | null;
  readonly error: NodeError | null;
  readonly output: unknown;
  /** Of the event that scheduled it. */
  readonly position: number;
  /** Among those that event scheduled. */
  readonly place: number;
}

/** Of a row that is an event. */
export interface EventKey extends RunKey, InProject {
  readonly position: number;
  /** `null` for what clients do not see. */
  readonly sequence: number | null;
  readonly createdAt: string;
}
export interface SpeakerRow {
  readonly agentId: string;
  readonly node: string;
  readonly taskKey: string;
  readonly iteration: number;
  readonly attempt: number;
}
type Nullable<T> = { readonly [K in keyof T]: T[K] | null };

/** `request` and `answer` are what people said: what the run was asked for, and their answers to its questions. */
export const MESSAGE_TYPES = ['request', 'answer', 'message', 'model_response', 'agent_transition'] as const;
export type MessageType = (typeof MESSAGE_TYPES)[number];
export const MESSAGE_ROLES = ['user', 'agent', 'node', 'system', 'tool'] as const;

/** The speaker's fields are `null` where no node spoke. */
export interface MessageRow extends EventKey, Nullable<SpeakerRow> {
  readonly type: MessageType;
  readonly from: string;
  readonly role: RunEventOf<'MessageAdded'>['role'];
  readonly content: unknown;
  /** What the model thought on the way to its response. */
  readonly thinking: string | null;
  readonly round: number | null;
  readonly model: string | null;
  readonly usage: Usage | null;
  readonly isInternal: boolean;
}

export const TOOL_CALL_STATUSES = ['open', 'ok', 'failed'] as const;
export type ToolCallStatus = (typeof TOOL_CALL_STATUSES)[number];

/** Its event is the request. */
export interface ToolCallRow extends EventKey, SpeakerRow {
  readonly toolUseId: string;
  readonly tool: string;
  readonly input: unknown;
  readonly needsApproval: boolean;
  readonly isInternal: boolean;
  readonly status: ToolCallStatus;
  readonly progress: string | null;
  readonly output: unknown;
  readonly error: string | null;
  readonly finishedAt: string | null;
  readonly finishedSequence: number | null;
}

export const INPUT_REQUEST_STATUSES = ['open', 'answered', 'expired'] as const;
export type InputRequestStatus = (typeof INPUT_REQUEST_STATUSES)[number];

/** Its event is the request. */
export interface InputRequestRow extends EventKey, SpeakerRow {
  readonly requestId: string;
  readonly type: InputRequestType;
  readonly request: InputRequest;
  readonly status: InputRequestStatus;
  readonly expiresAt: string | null;
  readonly response: unknown;
  readonly answeredBy: string | null;
  readonly closedAt: string | null;
}

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;

export interface RunLogRow extends EventKey, SpeakerRow {
  readonly level: RunEventOf<'LogWritten'>['level'];
  readonly message: string;
  readonly payload: unknown;
  readonly source: string;
}

/** One line a person reads, for each event that tells one something. */
export interface TrailRow extends EventKey {
  readonly kind: RunEventKind;
  readonly node: string | null;
  readonly agentId: string | null;
  readonly text: string;
}

export interface CheckpointRow extends EventKey {
  readonly iteration: number;
  readonly node: string;
  readonly resumeToken: string;
}

/** A run that failed, with what one needs to judge it without its history. */
export interface DeadLetterRow extends EventKey {
  readonly agent: string;
  readonly agentVersion: string | null;
  readonly userId: string;
  readonly threadId: string | null;
  readonly inputSummary: string;
  readonly reason: string;
  readonly errorCode: string;
}

export interface ThreadRow extends InProject {
  readonly tenantId: string;
  readonly threadId: string;
  readonly agent: string | null;
  readonly title: string | null;
  readonly createdBy: string;
  readonly createdAt: string;
}

/** All there is about one run, each list in the order of its events. */
export interface RunRows {
  readonly run: RunRow | undefined;
  readonly steps: readonly StepRow[];
  readonly messages: readonly MessageRow[];
  readonly toolCalls: readonly ToolCallRow[];
  readonly inputRequests: readonly InputRequestRow[];
  readonly logs: readonly RunLogRow[];
  readonly trail: readonly TrailRow[];
  readonly checkpoints: readonly CheckpointRow[];
  readonly deadLetter: DeadLetterRow | undefined;
}
