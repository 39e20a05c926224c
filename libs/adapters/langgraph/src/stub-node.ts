import { Runnable } from '@langchain/core/runnables';
import { AsyncLocalStorageProviderSingleton } from '@langchain/core/singletons';
import { isNodeError, type LangGraphRunnableConfig } from '@langchain/langgraph';
import type { TaskKey } from '@millrace/contracts';
import type { GraphTask } from '@millrace/ports';
import { GraphUnsupported } from './graph-errors.js';
import { type AnyPregel, callWriter, NODE_ERROR, placeOf, RUN } from './langgraph-internals.js';
import { packError } from './node-error.js';
import type { AskedTask } from './run-coroutine.js';
import { taskKeyOf } from './task-key.js';

/** The run a shadow is played for: in `configurable` under RUN. */
export interface PlayedRun {
  /** The keys of tasks that others name as their parent, by LangGraph's ids, which hold for this process only. */
  readonly parents: Map<string, TaskKey>;
  readonly recursionLimit: number;
  ask(asked: AskedTask, signal: AbortSignal | undefined): Promise<unknown>;
  /** The graph is not quiet while `work` goes on. */
  compute(work: () => Promise<void>): Promise<void>;
  fail(error: unknown): Error;
}

/** Stands for a node. What follows its body is real: it is written and routed, without a traced run for each. */
export class StubNode extends Runnable {
  lc_namespace = ['millrace'];

  constructor(
    private readonly body: StubBody,
    private readonly writers: readonly Runnable[],
  ) {
    super();
  }

  async invoke(input: unknown, config: LangGraphRunnableConfig): Promise<unknown> {
    return AsyncLocalStorageProviderSingleton.runWithConfig(config, async () => {
      const run = config.configurable?.[RUN] as PlayedRun;
      const output = await this.body(run, input, config);
      await run.compute(async () => {
        for (const writer of this.writers) await callWriter(writer, output, config);
      });
      return output;
    });
  }
}

export type StubBody = (run: PlayedRun, input: unknown, config: LangGraphRunnableConfig) => Promise<unknown>;

/** What a graph starts with is written and routed as it is. */
export const passOn: StubBody = async (_run, input) => input;

/** Awaits the result of the node at `path`. */
export const askFor =
  (path: string, hasErrorHandler: boolean): StubBody =>
  async (run, input, config) => {
    const { key, taskId } = identify(run, path, config);
    const asked = { key, node: path, input, nodeError: nodeErrorOf(config.configurable?.[NODE_ERROR]) };
    if (!hasErrorHandler) return run.ask(asked, config.signal);
    return asParent(run, key, taskId, () => run.ask(asked, config.signal));
  };

/** A subgraph is played here as well; its nodes are stubs. */
export const play =
  (path: string, inner: AnyPregel): StubBody =>
  async (run, input, config) => {
    const { key, taskId } = identify(run, path, config);
    // LangGraph counts the steps of an inner graph from its start, whatever the outer one has left.
    const innerConfig = { ...config, recursionLimit: run.recursionLimit };
    return asParent(run, key, taskId, () => inner.invoke(input, innerConfig));
  };

/** Forgotten when it succeeded. When it failed, the task that handles its error names it. */
const asParent = async (
  run: PlayedRun,
  key: TaskKey,
  taskId: string,
  work: () => Promise<unknown>,
): Promise<unknown> => {
  run.parents.set(taskId, key);
  const output = await work();
  run.parents.delete(taskId);
  return output;
};

const identify = (run: PlayedRun, path: string, config: LangGraphRunnableConfig): { key: TaskKey; taskId: string } => {
  try {
    // A timed attempt brings a heartbeat, and only the timeout of a Send is left to make one.
    if (config.heartbeat) throw new GraphUnsupported(`A Send to ${path} has a timeout: give it to the node instead`);
    const place = placeOf(config);
    const parent = place.parentTaskId === undefined ? undefined : run.parents.get(place.parentTaskId);
    return { key: taskKeyOf(place, parent), taskId: place.taskId };
  } catch (error) {
    throw run.fail(error);
  }
};

const nodeErrorOf = (value: unknown): GraphTask['nodeError'] =>
  isNodeError(value) ? { node: value.node, error: packError(value.error) } : undefined;
