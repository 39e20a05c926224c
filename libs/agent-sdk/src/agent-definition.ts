import type { NodeRetryPolicy } from '@millrace/ports';
import type { z } from 'zod';
import { checkAgent } from './agent-check.js';
import type { ContractNode } from './contract-node.js';
import type { NodeContext } from './node-context.js';

/**
 * A LangGraph.js graph as `new StateGraph(...).compile()` gives it. Only the adapter that runs it knows more; here it
 * is opaque, so that an agent's author may use any version of the types.
 */
export interface CompiledGraph {
  readonly nodes: Readonly<Record<string, unknown>>;
  invoke(input: unknown, config?: unknown): Promise<unknown>;
}

export interface ToolCall {
  /** The same for every attempt at the same call: a tool may use it for its own idempotency. */
  readonly idempotencyKey: string;
  readonly signal: AbortSignal;
  readonly progress: (status: string) => void;
  /** A line of the run's log, with the tool as its source. */
  readonly log: NodeContext['log'];
}

export interface ToolDefinition<Input = never> {
  readonly description?: string;
  /** Of `Input`: defineTool holds the two together, so that tools of every input fit into one record. */
  readonly inputSchema?: z.ZodType;
  /** A person must agree first: always, or when the function says so for this input. */
  readonly needsApproval?: boolean | ((input: Input) => boolean);
  run(input: Input, call: ToolCall): Promise<unknown>;
}

export interface AgentDefinition {
  readonly id: string;
  /** Recorded when a run starts: a run in flight goes on with the version it began with. */
  readonly version: string;
  /** For people who choose an agent, in the catalogue. */
  readonly title?: string;
  readonly description?: string;
  /** The policies it knows; left out where it does not care. */
  readonly policies?: readonly string[];
  /** The agents that speak in its runs, when it is not itself alone. */
  readonly speakers?: readonly string[];
  /** It takes `{ text, files? }` and ends with `{ text, … }`: threads can talk with it. */
  readonly conversational?: boolean;
  readonly graph: CompiledGraph;
  /** Nodes with a contract, by name: their inputs, outputs and emitted kinds are checked. */
  readonly nodes?: Readonly<Record<string, ContractNode>>;
  readonly tools?: Readonly<Record<string, ToolDefinition>>;
  /** Looked at when a run is asked for, and again when it starts. */
  readonly inputSchema?: z.ZodType;
  /** What `toOutput` gives, for the catalogue. */
  readonly outputSchema?: z.ZodType;
  /**
   * The graph's input, made from the run's. The run's own when it is not given. `improvement` is there for a retry: what
   * the run in whose place this one is should have done better, in words.
   */
  readonly toState?: (input: unknown, seedState: unknown, improvement?: string) => unknown;
  /** The run's output, made from the graph's final state. The state itself when it is not given. */
  readonly toOutput?: (state: unknown) => unknown;
  readonly retry?: Readonly<Record<string, NodeRetryPolicy>>;
  readonly recursionLimit?: number;
}

/** Throws DefinitionInvalid, which names every field that is wrong. */
export const defineAgent = (definition: AgentDefinition): AgentDefinition => {
  checkAgent(definition);
  return definition;
};

export const defineTool = <Input = unknown>(
  tool: ToolDefinition<Input> & { readonly inputSchema?: z.ZodType<Input> },
): ToolDefinition<Input> => tool;
