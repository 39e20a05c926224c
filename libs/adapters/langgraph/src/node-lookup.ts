import type { PregelNode } from '@langchain/langgraph';
import { NodeUnknown } from './graph-errors.js';
import { type AnyPregel, isPregel, START_NODE } from './langgraph-internals.js';

export interface FoundNode {
  readonly name: string;
  readonly node: PregelNode;
  /** The graph it is a node of. */
  readonly graph: AnyPregel;
}

/** The node at `outer|inner`. */
export const findNode = (root: AnyPregel, path: string): FoundNode => {
  const names = path.split('|');
  let graph = root;
  for (const [depth, name] of names.entries()) {
    const node = name !== START_NODE && Object.hasOwn(graph.nodes, name) ? graph.nodes[name] : undefined;
    if (!node) break;
    if (depth === names.length - 1) return { name, node, graph };
    if (!isPregel(node.bound)) break;
    graph = node.bound;
  }
  throw new NodeUnknown(`The graph has no node ${path}`);
};
