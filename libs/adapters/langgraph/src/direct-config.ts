import { CallbackManager } from '@langchain/core/callbacks/manager';
import { v5, v7 } from '@langchain/core/utils/uuid';
import {
  type AsyncBatchedStore,
  emptyCheckpoint,
  interrupt,
  type LangGraphRunnableConfig,
  RunControl,
} from '@langchain/langgraph';
import type { BodyCall } from './body-call.js';
import { INPUT_CHANNEL, type PregelCall } from './langgraph-internals.js';

/** What LangGraph would know the one task of a one-node graph by. */
export interface DirectTask {
  readonly checkpointId: string;
  readonly id: string;
  readonly namespace: string;
}

const STEP = 0;
const PULL = '__pregel_pull';

/** A graph that goes on from a checkpoint of this id names its task the same. */
export const directTask = (node: string): DirectTask => {
  const checkpointId = emptyCheckpoint().id;
  const place = JSON.stringify([node, String(STEP), node, PULL, [INPUT_CHANNEL]]);
  const id = v5(place, Buffer.from(checkpointId.replaceAll('-', ''), 'hex'));
  return { checkpointId, id, namespace: `${node}:${id}` };
};

export interface DirectTies {
  readonly task: DirectTask;
  readonly signal: AbortSignal;
  readonly store: AsyncBatchedStore | undefined;
  /** Runs a `task()` of the body. */
  readonly call: PregelCall;
}

/** The config LangGraph gives to the body of a node: key by key what `_prepareSingleTask` and its caller make. */
export const directConfig = (call: BodyCall, input: unknown, ties: DirectTies): LangGraphRunnableConfig => {
  const { agent, found, state, options } = call;
  const { task, signal, store } = ties;
  const { configurable, metadata, tags = [], ...own } = agent.graph.config ?? {};
  const allConfigurable = { ...configurable, ...options.configurable };
  const allMetadata = {
    ...idsIn(allConfigurable),
    ls_integration: 'langgraph',
    ...metadata,
    ...namesOf(found.name, task),
    ...found.node.metadata,
  };
  return {
    ...own,
    runId: undefined,
    recursionLimit: options.recursionLimit,
    durability: options.durability,
    writer: options.writer,
    callbacks: callbacksFor(options.callbacks, tags, allMetadata),
    tags,
    metadata: allMetadata,
    signal,
    interrupt,
    control: new RunControl(),
    ...(store ? { store } : {}),
    executionInfo: {
      checkpointId: task.checkpointId,
      checkpointNs: task.namespace,
      taskId: task.id,
      threadId: options.configurable.thread_id,
      runId: undefined,
      nodeAttempt: 1,
      nodeFirstAttemptTime: Date.now(),
    },
    configurable: {
      ...allConfigurable,
      __pregel_resuming: false,
      __pregel_replay_state: undefined,
      __pregel_task_id: task.id,
      __pregel_send: () => {}, // writers and resumed bodies send; a body that was just begun is neither
      __pregel_read: readerOf(input),
      __pregel_checkpointer: state.saver,
      __pregel_scratchpad: scratchpadOf(input),
      __pregel_previous: undefined,
      __pregel_call: ties.call,
      checkpoint_map: { '': task.checkpointId },
      checkpoint_id: undefined,
      checkpoint_ns: task.namespace,
    },
  } as LangGraphRunnableConfig;
};

/** What LangGraph copies from `configurable` for whoever traces a run. */
const TRACED_IDS = ['thread_id', 'checkpoint_id', 'checkpoint_ns', 'task_id', 'run_id'];

const idsIn = (configurable: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    TRACED_IDS.filter((key) => configurable[key] !== undefined).map((key) => [key, configurable[key]]),
  );

const namesOf = (node: string, { namespace }: DirectTask): Record<string, unknown> => ({
  langgraph_step: STEP,
  langgraph_node: node,
  langgraph_triggers: [INPUT_CHANNEL],
  langgraph_path: [PULL, node],
  langgraph_checkpoint_ns: namespace,
  checkpoint_ns: namespace,
});

/** As a body without answers has it: the first `interrupt()` throws, the counters number tasks and graphs it calls. */
const scratchpadOf = (input: unknown): Record<string, unknown> => ({
  callCounter: 0,
  interruptCounter: -1,
  resume: [],
  nullResume: undefined,
  subgraphCounter: 0,
  currentTaskInput: input,
  consumeNullResume: () => undefined,
});

/** The state of a graph of one node is its input; its output is not there yet. */
const readerOf = (input: unknown) => {
  const read = (channel: string): unknown => (channel === INPUT_CHANNEL ? input : null);
  return (select: string | readonly string[]): unknown =>
    typeof select === 'string' ? read(select) : Object.fromEntries(select.map((channel) => [channel, read(channel)]));
};

/** The handlers as what is called in a body inherits them from its node. */
const callbacksFor = (
  handlers: BodyCall['options']['callbacks'],
  tags: string[],
  metadata: Record<string, unknown>,
): CallbackManager => {
  const manager = new CallbackManager(v7());
  manager.setHandlers(handlers, true);
  manager.addTags(tags);
  manager.addMetadata(metadata);
  return manager;
};
