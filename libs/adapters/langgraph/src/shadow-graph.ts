import type { BaseChannel, PregelNode } from '@langchain/langgraph';
import { Name } from '@millrace/contracts';
import { CheckpointSaver } from './checkpoint-saver.js';
import { deterministicChannel } from './deterministic-channel.js';
import { asError, GraphUnsupported, InputRefused } from './graph-errors.js';
import { type AnyPregel, isPregel, START_NODE } from './langgraph-internals.js';
import { askFor, passOn, play, type StubBody, StubNode } from './stub-node.js';

/**
 * The graph with every node's body replaced by a stub that awaits its result; edges, routers and reducers are the
 * user's own. One serves all runs of an agent, and the user's graph is not touched.
 */
export const shadowOf = (graph: AnyPregel): AnyPregel => {
  const shadow = shadowLevel(graph, '');
  shadow.checkpointer = new CheckpointSaver();
  return refusingInput(shadow);
};

const shadowLevel = (graph: AnyPregel, path: string): AnyPregel => {
  refuseUnsupported(graph, path);
  const copy: AnyPregel = graph.withConfig({});
  return Object.assign(copy, {
    nodes: mapValues<PregelNode>(graph.nodes, (node, name) => stubOf(node, path, name)),
    channels: mapValues<BaseChannel>(graph.channels, deterministicChannel),
    // Limits how many nodes run at once: that is up to the workers, and here it would take a superstep apart.
    config: { ...copy.config, maxConcurrency: undefined },
    checkpointer: false,
    stepTimeout: undefined,
    retryPolicy: undefined,
    cache: undefined,
    store: undefined,
  });
};

/** As the graph sees it, the node differs only in what it does. What concerns its body is the worker's. */
const stubOf = (node: PregelNode, path: string, name: string): PregelNode => {
  const writers = node.getWriters();
  const stub = new StubNode(name === START_NODE ? passOn : bodyOf(node, path + name), writers);
  const copy = Object.create(Object.getPrototypeOf(node) as object) as PregelNode;
  return Object.assign(copy, node, {
    bound: stub,
    getNode: () => stub,
    getWriters: () => writers,
    retryPolicy: undefined,
    timeout: undefined,
    cachePolicy: undefined,
  });
};

const bodyOf = ({ bound, errorHandlerNode }: PregelNode, path: string): StubBody => {
  if (!Name.safeParse(path).success) throw new GraphUnsupported(`The name ${path} is longer than can be stored`);
  return isPregel(bound) ? play(path, shadowLevel(bound, `${path}|`)) : askFor(path, errorHandlerNode !== undefined);
};

const refuseUnsupported = (graph: AnyPregel, path: string): void => {
  const where = path === '' ? 'The graph' : `The subgraph ${path.slice(0, -1)}`;
  const breakpoints = [graph.interruptBefore, graph.interruptAfter].some(
    (nodes) => nodes !== undefined && nodes.length > 0,
  );
  if (breakpoints) {
    throw new GraphUnsupported(`${where} has interruptBefore or interruptAfter: call interrupt() in a node instead`);
  }
  if (path !== '' && graph.checkpointer === true) {
    throw new GraphUnsupported(
      `${where} has a checkpointer of its own: what it remembers between visits would be lost`,
    );
  }
};

interface InputValidation {
  _validateInput(input: unknown): Promise<unknown>;
}

/** Tells the state schema's "no" from an error in the graph. */
const refusingInput = (shadow: AnyPregel): AnyPregel => {
  const validates = Object.getPrototypeOf(shadow) as InputValidation;
  const _validateInput = async (input: unknown) => {
    try {
      return await validates._validateInput.call(shadow, input);
    } catch (cause) {
      throw new InputRefused(asError(cause).message, { cause });
    }
  };
  return Object.assign(shadow, { _validateInput });
};

const mapValues = <T>(record: Readonly<Record<string, T>>, change: (value: T, key: string) => T): Record<string, T> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]));
