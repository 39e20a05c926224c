import type { NodeError, RunErrorCode, RunEvent, TaskKey } from '@millrace/contracts';

/** One node to be run by some worker: what the log says of it, and the input the log never holds. */
export interface GraphTask {
  readonly key: TaskKey;
  /** The node's path: `outer|inner` inside a subgraph. */
  readonly node: string;
  readonly iteration: number;
  readonly inputHash: string;
  /** Encoded by the runtime; only the runtime reads it. */
  readonly input: string;
  /** For a node that handles another one's error: which one, and what went wrong. */
  readonly nodeError?: { readonly node: string; readonly error: NodeError } | undefined;
}

/** What a graph asks of whoever drives it. */
export interface GraphDriver {
  /** Appends the tasks of one superstep. Rejects when the run has gone another way: the graph is then dropped. */
  schedule(tasks: readonly GraphTask[]): Promise<void>;
  /** Hands a task that is in the log and has no result to the workers. Called again after a restart. */
  offer(task: GraphTask): void;
  /** A place from which the graph can be started again without what came before. May be ignored. */
  checkpoint(saved: GraphCheckpoint): void;
}

export interface GraphCheckpoint {
  readonly iteration: number;
  readonly node: string;
  readonly body: string;
}

export interface GraphStart {
  readonly agent: string;
  readonly agentVersion: string;
  readonly input: unknown;
  readonly seedState?: unknown;
  /** What a retry should do better. */
  readonly improvement?: string | undefined;
  /** Everything the run's log holds so far. */
  readonly history: readonly RunEvent[];
  readonly checkpoint?: GraphCheckpoint | undefined;
}

export type GraphState =
  /** Nothing more to compute until a task has its result. */
  | { readonly kind: 'waiting' }
  | { readonly kind: 'finished'; readonly output: unknown }
  | { readonly kind: 'failed'; readonly errorCode: RunErrorCode; readonly reason: string };

/** A graph's control flow, answered by the log. Dropping it loses nothing: it can be started again from the log. */
export interface RunningGraph {
  /** Every event appended after `history`, in order. */
  apply(event: RunEvent): void;
  /** Resolves once all that was applied has had its consequences: scheduled and offered, or ended. */
  settled(): Promise<GraphState>;
  /** What it has asked for and has no result of. */
  openTasks(): readonly GraphTask[];
  stop(): void;
}

/** What a body is run with. */
export interface NodeRun {
  readonly agent: string;
  readonly agentVersion: string;
  readonly task: GraphTask;
  readonly signal: AbortSignal;
  /** What the runtime kept over the node's last wait, and the answers that have come, by its own ids. */
  readonly resume?: { readonly state: string; readonly answers: Readonly<Record<string, unknown>> } | undefined;
  onToken(text: string): void;
  /** What the body wrote to LangGraph's custom stream. */
  onCustom(chunk: unknown): void;
}

export type NodeOutcome =
  | { readonly kind: 'finished'; readonly output: unknown }
  | { readonly kind: 'failed'; readonly error: unknown }
  /** The body asked people and gave its worker back. `state` comes back in `resume`. */
  | { readonly kind: 'interrupted'; readonly requests: readonly NodeInterrupt[]; readonly state: string };

export interface NodeInterrupt {
  readonly id: string;
  readonly value: unknown;
}

/** Runs the graphs users bring: their control flow in one process, the bodies of their nodes in others. */
export abstract class GraphRuntime {
  /** Throws AgentUnknown when the registry has no such agent, or not in this version. */
  abstract start(start: GraphStart, driver: GraphDriver): RunningGraph;
  abstract runNode(run: NodeRun): Promise<NodeOutcome>;
  /** How often and when a failed body is tried again, when its author said so. */
  abstract retryPolicyOf(agent: string, agentVersion: string, node: string): NodeRetryPolicy | undefined;
}

export interface NodeRetryPolicy {
  readonly maxAttempts?: number | undefined;
  readonly firstDelayMs?: number | undefined;
  readonly factor?: number | undefined;
  readonly maxDelayMs?: number | undefined;
  readonly isRetryable?: ((error: unknown) => boolean) | undefined;
}
