import type { BaseCallbackHandler } from '@langchain/core/callbacks/base';
import { CallbackManager } from '@langchain/core/callbacks/manager';
import type { AnyPregel } from './langgraph-internals.js';
import type { FoundNode } from './node-lookup.js';

/** How a body is run: called by us, or in a graph of one node by LangGraph. */
export type BodyWay = 'direct' | 'pregel';

const ways = new WeakMap<AnyPregel, Map<string, BodyWay>>();

/** The way of the node at `path`, decided once for each graph in a process. */
export const wayOf = (graph: AnyPregel, path: string, found: FoundNode): BodyWay => {
  const ofGraph = ways.get(graph) ?? new Map<string, BodyWay>();
  ways.set(graph, ofGraph);
  const way = ofGraph.get(path) ?? (needsPregel(found) || speaksOfMore(graph) ? 'pregel' : 'direct');
  ofGraph.set(path, way);
  return way;
};

/** What LangGraph does around a body and not in it; a graph as a body keeps a memory of its own while it waits. */
const needsPregel = ({ node: { timeout, cachePolicy, subgraphs } }: FoundNode): boolean =>
  timeout !== undefined || cachePolicy !== undefined || (subgraphs !== undefined && subgraphs.length > 0);

/** Of a graph's own configuration, what a direct call hands on as it is. */
const HANDED_ON: ReadonlySet<string> = new Set(['configurable', 'metadata', 'tags', 'context', 'recursionLimit']);
/** From these LangGraph tells a body which server it runs on. */
const OF_A_SERVER = ['assistant_id', 'graph_id', 'langgraph_auth_user'];

const speaksOfMore = ({ config = {} }: AnyPregel): boolean => {
  const { configurable = {}, metadata = {} } = config;
  return (
    Object.entries(config).some(([key, value]) => value !== undefined && !HANDED_ON.has(key)) ||
    OF_A_SERVER.some((key) => key in configurable || key in metadata)
  );
};

/** Tracing and hooks of the whole process are told of graphs and nodes, which a direct call has none of. */
export const isOverheard = (own: BaseCallbackHandler[]): boolean =>
  (CallbackManager.configure(own)?.handlers.length ?? 0) > own.length;
