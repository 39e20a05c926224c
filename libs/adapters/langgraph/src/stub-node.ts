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
  fail(error: unknown): Error;
}

interface StubParts {
  /** A subgraph is played here as well; its nodes are stubs. */
  readonly inner: AnyPregel | undefined;
  readonly writers: readonly Runnable[];
  readonly hasErrorHandler: boolean;
}

/** Stands for a node, and does what follows its body: the writers are called without a traced run for each. */
export class StubNode extends Runnable {
  lc_namespace = ['millrace'];

  constructor(
    private readonly path: string,
    private readonly parts: StubParts,
  ) {
    super();
  }

  async invoke(input: unknown, config: LangGraphRunnableConfig): Promise<unknown> {
    return AsyncLocalStorageProviderSingleton.runWithConfig(config, async () => {
      const output = await this.result(input, config);
      for (const writer of this.parts.writers) await callWriter(writer, output, config);
      return output;
    });
  }

  private async result(input: unknown, config: LangGraphRunnableConfig): Promise<unknown> {
    const run = config.configurable?.[RUN] as PlayedRun;
    const { inner, hasErrorHandler } = this.parts;
    const { key, taskId } = this.identify(run, config);
    if (!inner && !hasErrorHandler) return this.ask(run, key, input, config);

    run.parents.set(taskId, key);
    // LangGraph counts the steps of an inner graph from its start, whatever the outer one has left.
    const output: unknown = inner
      ? await inner.invoke(input, { ...config, recursionLimit: run.recursionLimit })
      : await this.ask(run, key, input, config);
    run.parents.delete(taskId); // after a failure its error handler asks for it
    return output;
  }

  private identify(run: PlayedRun, config: LangGraphRunnableConfig): { key: TaskKey; taskId: string } {
    try {
      // A timed attempt brings a heartbeat, and only the timeout of a Send is left to make one.
      if (config.heartbeat)
        throw new GraphUnsupported(`A Send to ${this.path} has a timeout: give it to the node instead`);
      const place = placeOf(config);
      const parent = place.parentTaskId === undefined ? undefined : run.parents.get(place.parentTaskId);
      return { key: taskKeyOf(place, parent), taskId: place.taskId };
    } catch (error) {
      throw run.fail(error);
    }
  }

  private ask(run: PlayedRun, key: TaskKey, input: unknown, config: LangGraphRunnableConfig): Promise<unknown> {
    const nodeError = nodeErrorOf(config.configurable?.[NODE_ERROR]);
    return run.ask({ key, node: this.path, input, nodeError }, config.signal);
  }
}

const nodeErrorOf = (value: unknown): GraphTask['nodeError'] =>
  isNodeError(value) ? { node: value.node, error: packError(value.error) } : undefined;
