import { Runnable } from '@langchain/core/runnables';
import { emptyCheckpoint, type LangGraphRunnableConfig } from '@langchain/langgraph';
import type { NodeOutcome } from '@millrace/ports';
import type { BodyCall } from './body-call.js';
import type { DirectTask } from './direct-config.js';
import { INPUT_CHANNEL, outsideOfRunnables, type PregelCall, pregelCallOf } from './langgraph-internals.js';
import { asPregelInput } from './node-body.js';
import { runInPregel } from './pregel-body.js';
import { decode } from './value-codec.js';

/**
 * A graph of one node that takes over a body which was called without it. It goes on from a checkpoint with the body's
 * input and the ids the body was given, so ids of questions and the names of nested graphs stay what they were; its node
 * gives what the call gives. It is begun when it is first needed.
 */
export class AdoptingPregel {
  readonly #ready = Promise.withResolvers<PregelCall>();
  readonly #failed = Promise.withResolvers<never>();
  #output: Promise<unknown> | undefined;
  #outcome: Promise<NodeOutcome> | undefined;

  constructor(
    private readonly body: BodyCall,
    private readonly task: DirectTask,
  ) {}

  /** What the call under way gives. */
  watch(output: Promise<unknown>): void {
    this.#output = output;
  }

  get hasBegun(): boolean {
    return this.#outcome !== undefined;
  }

  /** Rejects when the graph fails: it does so with a task, and waits for the body no more. */
  get failure(): Promise<never> {
    return this.#failed.promise;
  }

  readonly call: PregelCall = async (...args) => {
    void this.outcome();
    const call = await this.#ready.promise;
    return call(...args);
  };

  outcome(): Promise<NodeOutcome> {
    if (this.#outcome) return this.#outcome;
    this.#outcome = outsideOfRunnables(() => this.run()); // a task is called by the body
    this.#ready.promise.catch(() => {}); // the outcome says it to whoever runs the body
    this.#outcome.then(() => this.#ready.reject(new Error('LangGraph did not call the body')), this.fail);
    return this.#outcome;
  }

  private readonly fail = (error: unknown): void => {
    this.#ready.reject(error);
    this.#failed.reject(error);
  };

  private async run(): Promise<NodeOutcome> {
    await this.seed();
    const adopted = new AdoptedBody(async (config) => {
      if (config.executionInfo?.checkpointNs !== this.task.namespace) {
        throw new Error(`LangGraph calls the task ${config.executionInfo?.checkpointNs}, not ${this.task.namespace}`);
      }
      this.#ready.resolve(pregelCallOf(config));
      return this.#output;
    });
    return runInPregel(this.body, adopted, null);
  }

  /** The checkpoint after the input and before the node. The body may have changed the input it was given. */
  private async seed(): Promise<void> {
    const { state, run } = this.body;
    const checkpoint = {
      ...emptyCheckpoint(),
      id: this.task.checkpointId,
      channel_values: { [INPUT_CHANNEL]: asPregelInput(decode(run.task.input)) },
      channel_versions: { [INPUT_CHANNEL]: 1 },
    };
    const config = { configurable: { thread_id: state.threadId, checkpoint_ns: '' } };
    await state.saver.put(config, checkpoint, { source: 'input', step: -1, parents: {} });
  }
}

class AdoptedBody extends Runnable {
  lc_namespace = ['millrace'];

  constructor(private readonly adopt: (config: LangGraphRunnableConfig) => Promise<unknown>) {
    super();
  }

  invoke(_input: unknown, config: LangGraphRunnableConfig): Promise<unknown> {
    return this.adopt(config);
  }
}
