import { describe, expect, it } from '@jest/globals';
import { Annotation, Command, END, entrypoint, START, StateGraph } from '@langchain/langgraph';
import { defineAgent } from '@millrace/agent-sdk';
import { AgentGraph } from '@millrace/contracts';
import { drawGraph } from './draw-graph.js';
import { messageGraphs } from './zoo/message-graphs.for-spec.js';
import { nestedGraphs } from './zoo/nested-graphs.for-spec.js';
import { stateGraphs } from './zoo/state-graphs.for-spec.js';
import { waitingGraphs } from './zoo/waiting-graphs.for-spec.js';

const State = Annotation.Root({ n: Annotation<number> });
const nothing = async () => ({});
const draw = (graph: unknown) => drawGraph(defineAgent({ id: 'spec', version: '1', graph: graph as never }));

describe('A graph that is drawn', () => {
  it('has its nodes, edges, conditions, and the graphs inside it under their paths', async () => {
    const inner = new StateGraph(State).addNode('x', nothing).addEdge(START, 'x').addEdge('x', END).compile();
    const graph = new StateGraph(State)
      .addNode('choose', nothing)
      .addNode('work', inner)
      .addNode('judge', async () => new Command({ goto: 'choose' }), { ends: ['choose', END] })
      .addEdge(START, 'choose')
      .addConditionalEdges('choose', () => 'yes', { yes: 'work', no: END })
      .addEdge('work', 'judge')
      .compile();
    const { nodes, edges } = AgentGraph.parse(await draw(graph));
    expect(nodes).toEqual([
      { id: '__start__', name: '__start__', kind: 'start' },
      { id: 'choose', name: 'choose', kind: 'node' },
      { id: 'work', name: 'work', kind: 'subgraph' },
      { id: 'judge', name: 'judge', kind: 'node' },
      { id: '__end__', name: '__end__', kind: 'end' },
      { id: 'work|__start__', name: '__start__', kind: 'start', within: 'work' },
      { id: 'work|x', name: 'x', kind: 'node', within: 'work' },
      { id: 'work|__end__', name: '__end__', kind: 'end', within: 'work' },
    ]);
    expect(edges).toHaveLength(8);
    expect(edges).toEqual(
      expect.arrayContaining([
        { from: '__start__', to: 'choose', conditional: false },
        { from: 'choose', to: 'work', conditional: true, label: 'yes' },
        { from: 'choose', to: '__end__', conditional: true, label: 'no' },
        { from: 'work', to: 'judge', conditional: false },
        { from: 'judge', to: 'choose', conditional: true },
        { from: 'work|__start__', to: 'work|x', conditional: false },
      ]),
    );
  });

  it('has the nodes of a graph that is no StateGraph', async () => {
    const flow = entrypoint('flow', async (n: number) => n);
    expect(await draw(flow)).toEqual({ nodes: [{ id: 'flow', name: 'flow', kind: 'node' }], edges: [] });
  });

  const zoo = Object.entries({ ...messageGraphs, ...nestedGraphs, ...stateGraphs, ...waitingGraphs });
  it.each(zoo)('is told whole, and the same each time: %s', async (_, { graph }) => {
    const { nodes, edges } = AgentGraph.parse(await draw(graph));
    const ids = nodes.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(edges.filter(({ from, to }) => !ids.includes(from) || !ids.includes(to))).toEqual([]);
    expect(await draw(graph)).toEqual({ nodes, edges });
  });
});
