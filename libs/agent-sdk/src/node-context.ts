import type {
  InputRequest,
  InputRequestType,
  InputResponse,
  RunId,
  RunFactOf,
  TaskKey,
  TenantId,
} from '@millrace/contracts';
import type { LlmChunk, LlmRequest } from '@millrace/ports';
import { AsyncLocalStorage } from 'node:async_hooks';

type Speech<K extends 'LogWritten' | 'ProgressReported' | 'GraphEdited' | 'SpecialistFinished'> = Omit<
  RunFactOf<K>,
  'kind' | 'within' | keyof Speaker
>;
type Speaker = Pick<RunFactOf<'NodeStarted'>, 'agentId' | 'node' | 'taskKey' | 'iteration' | 'attempt'>;

/** What a node may say in its own words; everything else has a method of its own. */
export type Emitted =
  | ({ readonly kind: 'LogWritten' } & Speech<'LogWritten'>)
  | ({ readonly kind: 'ProgressReported' } & Speech<'ProgressReported'>)
  | ({ readonly kind: 'GraphEdited' } & Speech<'GraphEdited'>)
  | ({ readonly kind: 'SpecialistFinished' } & Speech<'SpecialistFinished'>)
  | { readonly kind: 'TokenDelta' | 'ThoughtDelta'; readonly text: string };

export interface RunMessage {
  readonly from: string;
  readonly role: RunFactOf<'MessageAdded'>['role'];
  readonly content: unknown;
  readonly round: number;
}

export interface LlmAnswer {
  readonly text: string;
  /** What it thought on the way, for models that show it. */
  readonly thinking?: string;
  readonly toolCalls: readonly Extract<LlmChunk, { type: 'toolCall' }>[];
  readonly stopReason: string;
  readonly usage: Extract<LlmChunk, { type: 'end' }>['usage'];
}

export interface LlmOptions {
  /** False keeps the tokens off the run's stream; the answer is recorded all the same. */
  readonly shown?: boolean;
}

export interface SuspendOptions {
  readonly expiresInMs?: number;
}

export interface Subagent {
  progress(json: unknown): void;
  fail(error: string): void;
  finish(json?: unknown): void;
}

/**
 * What the body of a node is given beside its input. Whatever it asks for through here is stored before it is shown,
 * and given back instead of being done again when the node runs again after a crash or a wait. For that the body must
 * ask for the same things in the same order each time.
 */
export interface NodeContext extends Readonly<Speaker> {
  readonly tenantId: TenantId;
  readonly runId: RunId;
  readonly taskKey: TaskKey;
  /** Aborts when the run is canceled, or another worker has taken the node over. Hand it to all that takes one. */
  readonly signal: AbortSignal;

  emit(said: Emitted): void;
  log(level: RunFactOf<'LogWritten'>['level'], message: string, payload?: unknown): void;
  progress(message: string, fraction?: number): void;
  message(content: unknown, about?: { role?: RunMessage['role']; from?: string; round?: number }): void;

  /** Asks a model. Its tokens appear on the run's stream as they come; the whole answer is recorded. */
  llm(request: LlmRequest, options?: LlmOptions): Promise<LlmAnswer>;
  /** Calls one of the agent's tools. The intent is stored before the call, the result after it. */
  tool(name: string, input: unknown): Promise<unknown>;
  /** Any other effect, by a name that is the node's own: done once, its value recorded. */
  step<T>(key: string, effect: () => Promise<T> | T): Promise<T>;
  /**
   * Asks a person or a client and gives the worker back until there is an answer: the body then runs again from its
   * start, and comes here with the answer. Throws something that must not be caught; rejects with InputExpired when
   * the deadline passed.
   */
  suspend<T extends InputRequestType>(
    request: Extract<InputRequest, { type: T }>,
    options?: SuspendOptions,
  ): Promise<InputResponse<T>>;
  subagent(subagentId: string, toolUseId: string): Subagent;
  switchPolicy(toPolicy: string, reason: string): Promise<void>;
  /** From here on another agent speaks. */
  changeAgent(toAgentId: string): void;

  /** The run's messages so far, oldest first. */
  messages(): Promise<readonly RunMessage[]>;
  lastMessages(count: number): Promise<readonly RunMessage[]>;
  /** The last message of somebody else than this node. */
  partnerMessage(): Promise<RunMessage | undefined>;
}

const current = new AsyncLocalStorage<NodeContext>();

/** The context of the node whose body is running: for plain LangGraph nodes and tools, which are not handed one. */
export const nodeContext = (): NodeContext => {
  const context = current.getStore();
  if (!context) throw new TypeError('nodeContext() is only there while the body of a node runs');
  return context;
};

const currentCall = new AsyncLocalStorage<string>();

/**
 * The call whose result will be recorded and in which the running code stands: of a model, a tool or a step; undefined
 * in the body itself. A call that was recorded is not made again, and what was said and asked for in it with it.
 */
export const callAround = (): string | undefined => currentCall.getStore();

export const runWithinCall = <T>(call: string, body: () => T): T => currentCall.run(call, body);

export const runWithContext = <T>(context: NodeContext, body: () => T): T => current.run(context, body);
