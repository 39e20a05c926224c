import type { BaseChannel, LangGraphRunnableConfig, Pregel, PregelNode } from '@langchain/langgraph';
import type { Runnable } from '@langchain/core/runnables';
import { AsyncLocalStorageProviderSingleton } from '@langchain/core/singletons';
import { GraphUnsupported } from './graph-errors.js';

/**
 * What we use of LangGraph beyond its documented interface. Its version is pinned; the suite that cuts every graph of
 * the zoo after every event decides whether another one will do.
 */
export type AnyPregel = Pregel<Record<string, PregelNode>, Record<string, BaseChannel>>;

export const START_NODE = '__start__';
/** In `configurable`: the NodeError an error handler is run for. */
export const NODE_ERROR = '__pregel_node_error';
/** In `configurable`, ours: the run whose shadow this is. */
export const RUN = '__millrace_run';
/** The channels of the graph of one node that a body is run in. */
export const INPUT_CHANNEL = 'input';
export const OUTPUT_CHANNEL = 'output';

/** Runs a `task()` that a body calls. */
export type PregelCall = (...args: readonly unknown[]) => Promise<unknown>;

export const pregelCallOf = ({ configurable }: LangGraphRunnableConfig): PregelCall =>
  configurable?.['__pregel_call'] as PregelCall;

export const asPregel = (graph: unknown): AnyPregel => {
  if (!isPregel(graph)) throw new GraphUnsupported('The agent has no compiled LangGraph graph');
  return graph;
};

export const isPregel = (runnable: unknown): runnable is AnyPregel =>
  typeof runnable === 'object' && runnable !== null && 'lg_is_pregel' in runnable && runnable.lg_is_pregel === true;

/** Where a task stands: LangGraph's own ids are random, so the rest of it makes the key. */
export interface TaskPlace {
  readonly step: number;
  readonly node: string;
  /** Of a `Send`: its number among those of the step. */
  readonly sendIndex: number | undefined;
  readonly taskId: string;
  readonly parentTaskId: string | undefined;
  /** It handles the error of its parent, which is a task of the same graph and not the graph's node. */
  readonly handlesError: boolean;
}

export const placeOf = ({ executionInfo, metadata }: LangGraphRunnableConfig): TaskPlace => {
  if (!executionInfo || !metadata) throw new TypeError('A node was called outside of a graph');
  const taskIds = executionInfo.checkpointNs.split('|').flatMap((part) => part.split(':').slice(1));
  const [kind, index] = metadata['langgraph_path'] as [string, unknown];
  const isPushed = kind === '__pregel_push';
  return {
    step: Number(metadata['langgraph_step']),
    node: String(metadata['langgraph_node']),
    sendIndex: isPushed && typeof index === 'number' ? index : undefined,
    taskId: executionInfo.taskId,
    parentTaskId: taskIds.at(-2),
    handlesError: isPushed && typeof index === 'string',
  };
};

/** What a node writes with: a RunnableCallable, whose function can be called without the cost of a traced run. */
export const callWriter = async (writer: Runnable, output: unknown, config: LangGraphRunnableConfig): Promise<void> => {
  if (isCallable(writer)) await writer.func(output, config);
  else await writer.invoke(output, config);
};

interface Callable {
  func(output: unknown, config: LangGraphRunnableConfig): unknown;
}

const isCallable = (writer: object): writer is Callable => 'func' in writer && typeof writer.func === 'function';

/** What is called in a runnable inherits its config, and a graph takes itself for nested. Not in here. */
export const outsideOfRunnables = <T>(work: () => T): T =>
  AsyncLocalStorageProviderSingleton.getInstance().run(undefined, work);
