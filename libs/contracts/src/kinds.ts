import type { RunEventKind } from './events/run-event.js';

export type Visibility = 'public' | 'internal';

/** `sync`: the producer waits for the stored ack. `async`: pipelined. `transient`: derived for the wire, never stored. */
export type Persistence = 'sync' | 'async' | 'transient';

export const SERVICES = ['run-api', 'orchestrator', 'node-workers', 'stream-gateway', 'projector'] as const;
export type ServiceName = (typeof SERVICES)[number];

export interface KindTraits {
  readonly visibility: Visibility;
  readonly persistence: Persistence;
  /** The services whose NATS user may publish it; the broker refuses everybody else. */
  readonly appendedBy: readonly ServiceName[];
}

const traits = (visibility: Visibility, persistence: Persistence, ...appendedBy: ServiceName[]): KindTraits => ({
  visibility,
  persistence,
  appendedBy,
});

/** One row per kind; the compiler names a kind that has none. */
export const KINDS = {
  RunRequested: traits('internal', 'sync', 'run-api'),
  RunQueued: traits('internal', 'sync', 'orchestrator'),
  RunStarted: traits('public', 'sync', 'orchestrator'),
  RunPaused: traits('public', 'sync', 'run-api'),
  RunResumed: traits('public', 'sync', 'run-api'),
  RunCancelRequested: traits('public', 'sync', 'run-api'),
  GraphEnded: traits('internal', 'sync', 'node-workers'),
  FollowUpDue: traits('internal', 'sync', 'orchestrator'),
  RunFinished: traits('public', 'sync', 'orchestrator'),
  RunFailed: traits('public', 'sync', 'orchestrator'),
  RunCanceled: traits('public', 'sync', 'orchestrator'),
  PolicySwitched: traits('public', 'sync', 'node-workers'),
  CheckpointSaved: traits('internal', 'async', 'node-workers'),
  GoalAchieved: traits('internal', 'sync', 'run-api'),
  RetryRequested: traits('internal', 'sync', 'run-api'),
  ImprovementProvided: traits('internal', 'sync', 'run-api'),
  NodeScheduled: traits('internal', 'sync', 'node-workers'),
  NodeStarted: traits('public', 'sync', 'node-workers'),
  NodeFinished: traits('public', 'sync', 'node-workers'),
  NodeRetryScheduled: traits('public', 'sync', 'node-workers'),
  NodeSuspended: traits('internal', 'sync', 'node-workers'),
  EffectRecorded: traits('internal', 'sync', 'node-workers'),
  AgentChanged: traits('internal', 'async', 'node-workers'),
  TokenDelta: traits('public', 'async', 'node-workers'),
  ThoughtDelta: traits('public', 'async', 'node-workers'),
  ModelRequested: traits('public', 'async', 'node-workers'),
  ModelResponded: traits('public', 'sync', 'node-workers'),
  ToolRequested: traits('public', 'sync', 'node-workers'),
  ToolProgressed: traits('public', 'async', 'node-workers'),
  // The orchestrator closes what a dead worker left open before it ends a run (ADR 8).
  ToolFinished: traits('public', 'sync', 'node-workers', 'orchestrator'),
  InputRequested: traits('public', 'sync', 'node-workers'),
  InputProvided: traits('public', 'sync', 'run-api'),
  InputExpired: traits('public', 'sync', 'orchestrator'),
  MessageAdded: traits('public', 'async', 'node-workers'),
  SubagentProgressed: traits('public', 'async', 'node-workers'),
  SubagentFailed: traits('public', 'async', 'node-workers'),
  SubagentFinished: traits('public', 'async', 'node-workers'),
  SpecialistFinished: traits('public', 'async', 'node-workers'),
  GraphEdited: traits('public', 'async', 'node-workers'),
  LogWritten: traits('public', 'async', 'node-workers'),
  ProgressReported: traits('public', 'async', 'node-workers'),
} as const satisfies Record<RunEventKind, KindTraits>;

export const RUN_EVENT_KINDS = Object.keys(KINDS) as RunEventKind[];

/** What the wire shows beside the log's events; listed so that nobody stores one. */
export const TRANSIENT_SIGNALS = ['Heartbeat', 'TurnCompleted'] as const;
export type TransientSignal = (typeof TRANSIENT_SIGNALS)[number];

export const TERMINAL_KINDS = ['RunFinished', 'RunFailed', 'RunCanceled'] as const;
export type TerminalKind = (typeof TERMINAL_KINDS)[number];

export const isTerminal = <E extends { kind: string }>(event: E): event is E & { kind: TerminalKind } =>
  (TERMINAL_KINDS as readonly string[]).includes(event.kind);

export const isRunEventKind = (kind: string): kind is RunEventKind => Object.hasOwn(KINDS, kind);
