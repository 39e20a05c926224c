import { AsyncBatchedStore, isGraphBubbleUp } from '@langchain/langgraph';
import type { NodeOutcome } from '@millrace/ports';
import { AdoptingPregel } from './adopting-pregel.js';
import type { BodyCall } from './body-call.js';
import { directConfig, directTask } from './direct-config.js';

/**
 * Calls a body that was not begun before, without a graph around it. When the body turns out to need one, for a
 * `task()` or because it asks people, a graph adopts the call that is under way: nothing is run twice.
 */
export const callBody = async (call: BodyCall, input: unknown): Promise<NodeOutcome> => {
  const { signal } = call.options;
  signal.throwIfAborted();
  const stop = new AbortController();
  const halt = () => stop.abort(signal.reason);
  signal.addEventListener('abort', halt, { once: true });
  const store = storeFor(call);
  try {
    return await called(call, input, stop, store);
  } finally {
    signal.removeEventListener('abort', halt);
    await store?.stop();
  }
};

const called = async (
  call: BodyCall,
  input: unknown,
  stop: AbortController,
  store: AsyncBatchedStore | undefined,
): Promise<NodeOutcome> => {
  const { body, found } = call;
  const task = directTask(found.name);
  const pregel = new AdoptingPregel(call, task);
  const config = directConfig(call, input, { task, signal: stop.signal, store, call: pregel.call });
  const output = body.invoke(input, config);
  pregel.watch(output);
  try {
    await Promise.race([unlessAborted(output, call.options.signal), pregel.failure]);
  } catch (error) {
    if (isGraphBubbleUp(error)) return pregel.outcome(); // LangGraph decides what it means
    stop.abort(); // whatever the body left running
    if (!pregel.hasBegun) throw error;
  }
  if (pregel.hasBegun) return pregel.outcome();
  return { kind: 'finished', output: body.returned?.output };
};

const unlessAborted = (output: Promise<unknown>, signal: AbortSignal): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop(); // by the body, before it first waited
    output.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });

const storeFor = ({ agent, found: { graph } }: BodyCall): AsyncBatchedStore | undefined => {
  const given = graph.store ?? agent.graph.store;
  if (!given) return undefined;
  const store = new AsyncBatchedStore(given);
  store.start();
  return store;
};
