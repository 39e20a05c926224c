import type { AgentDefinition } from '@millrace/agent-sdk';
import type { AgentGraph } from '@millrace/contracts';
import { type AnyPregel, asPregel } from './langgraph-internals.js';

const KINDS = { __start__: 'start', __end__: 'end' } as const;
/** Graphs may contain each other; nobody looks deeper than this. */
const DEEPEST = 8;

/**
 * The nodes and edges of an agent's graph and of the graphs inside it, to be shown. A node's id is its path, as in the
 * events of a run. Of a graph that is no StateGraph (an `entrypoint`) only the nodes are known.
 */
export const drawGraph = async ({ graph }: AgentDefinition): Promise<AgentGraph> => drawn(asPregel(graph), []);

const drawn = async (graph: AnyPregel, path: readonly string[]): Promise<AgentGraph> => {
  const subgraphs = await subgraphsOf(graph, path);
  const idOf = (name: string) => [...path, name].join('|');
  const within = path.length > 0 ? { within: path.join('|') } : {};
  const { names, edges } = await shapeOf(graph);
  const nodes = names.map((name) => ({
    ...{ id: idOf(name), name, ...within },
    kind: subgraphs.has(name) ? ('subgraph' as const) : (KINDS[name as keyof typeof KINDS] ?? ('node' as const)),
  }));
  const inner = await Promise.all([...subgraphs].map(([name, subgraph]) => drawn(subgraph, [...path, name])));
  return {
    nodes: [...nodes, ...inner.flatMap((part) => part.nodes)],
    edges: [
      ...edges.map(({ source, target, conditional = false, data }) => ({
        ...{ from: idOf(source), to: idOf(target), conditional },
        ...(data === undefined || data === target ? {} : { label: data.slice(0, 200) }),
      })),
      ...inner.flatMap((part) => part.edges),
    ],
  };
};

interface Edge {
  readonly source: string;
  readonly target: string;
  readonly conditional?: boolean;
  readonly data?: string;
}

const shapeOf = async (graph: AnyPregel): Promise<{ names: string[]; edges: Edge[] }> => {
  if (!('builder' in graph)) return { names: Object.keys(graph.nodes), edges: [] };
  const { nodes, edges } = await graph.getGraphAsync({});
  return { names: Object.keys(nodes), edges };
};

const subgraphsOf = async (graph: AnyPregel, path: readonly string[]): Promise<Map<string, AnyPregel>> => {
  const found = new Map<string, AnyPregel>();
  if (path.length === DEEPEST || !('builder' in graph)) return found;
  for await (const [name, subgraph] of graph.getSubgraphsAsync()) found.set(name, asPregel(subgraph));
  return found;
};
