import { type CachePolicy, INTERRUPT, type Interrupt, isInterrupted } from '@langchain/langgraph';
import type { Runnable } from '@langchain/core/runnables';
import { EphemeralValue, LastValue } from '@langchain/langgraph/channels';
import { Channel, Pregel } from '@langchain/langgraph/pregel';
import type { NodeOutcome } from '@millrace/ports';
import type { BodyCall } from './body-call.js';
import { INPUT_CHANNEL, OUTPUT_CHANNEL } from './langgraph-internals.js';
import { toReadable } from './readable.js';

/** Runs `bound` as the only node of a graph: with LangGraph's timeout, cache, tasks, and its memory of what was asked. */
export const runInPregel = async (call: BodyCall, bound: Runnable, input: unknown): Promise<NodeOutcome> => {
  const { body, state, options } = call;
  const chunks = await oneNodeGraph(call, bound).stream(input, { ...options, streamMode: 'values' });
  const interrupts: Interrupt[] = [];
  let cached: unknown;
  for await (const chunk of chunks as AsyncIterable<unknown>) {
    if (isInterrupted(chunk)) interrupts.push(...chunk[INTERRUPT]);
    else cached = chunk;
  }

  if (interrupts.length > 0 && !body.returned) {
    const requests = interrupts.map(({ id = '', value }) => ({ id: state.requestId(id), value: toReadable(value) }));
    return { kind: 'interrupted', requests, state: state.keep() };
  }
  return { kind: 'finished', output: body.returned ? body.returned.output : cached };
};

const oneNodeGraph = ({ agent, found: { name, node, graph }, state }: BodyCall, bound: Runnable) => {
  const { timeout, metadata } = node;
  const root = agent.graph;
  const alone = Channel.subscribeTo(INPUT_CHANNEL)
    .pipe(bound)
    .pipe(Channel.writeTo([OUTPUT_CHANNEL]));
  return new Pregel({
    nodes: { [name]: Object.assign(alone, { timeout, metadata, cachePolicy: ownKeys(node.cachePolicy) }) },
    channels: { [INPUT_CHANNEL]: new EphemeralValue<unknown>(false), [OUTPUT_CHANNEL]: new LastValue<unknown>() },
    inputChannels: INPUT_CHANNEL,
    outputChannels: OUTPUT_CHANNEL,
    streamChannels: OUTPUT_CHANNEL,
    checkpointer: state.saver,
    store: graph.store ?? root.store,
    cache: graph.cache ?? root.cache,
    config: root.config,
  });
};

/** A cache the graph also uses elsewhere holds what its channels were written; ours holds what the body gave. */
const ownKeys = (policy: CachePolicy | undefined): CachePolicy | undefined =>
  policy && { ...policy, keyFunc: (args) => `millrace:${(policy.keyFunc ?? JSON.stringify)(args)}` };
