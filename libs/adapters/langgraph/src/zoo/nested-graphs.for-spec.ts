import { Annotation, Command, END, Send, START, StateGraph } from '@langchain/langgraph';
import { aNode, type Exhibit, listOf, Log, type LogState } from './exhibit.for-spec.js';

const Outer = Annotation.Root({
  log: listOf<string>(),
  n: Annotation<number>({ reducer: (left, right) => Math.max(left, right), default: () => 0 }),
  topic: Annotation<string>,
});

const inner = new StateGraph(Log)
  .addNode('i1', aNode('i1'))
  .addNode('i2', aNode('i2'))
  .addNode('iw', async ({ i }: { i: number }) => ({ log: [`iw${i}`] }))
  .addEdge(START, 'i1')
  .addConditionalEdges('i1', () => [new Send('iw', { i: 0 }), new Send('iw', { i: 1 }), 'i2'])
  .addEdge('i2', END)
  .compile();

const handingOff = new StateGraph(Log)
  .addNode('h', async () => new Command({ graph: Command.PARENT, goto: 'fin', update: { log: ['handoff'] } }))
  .addEdge(START, 'h')
  .compile();

const failing = new StateGraph(Log)
  .addNode('first', aNode('first'))
  .addNode('fails', async (): Promise<Partial<LogState>> => {
    throw new RangeError('inside');
  })
  .addEdge(START, 'first')
  .addEdge('first', 'fails')
  .compile();

const failingBesideOthers = new StateGraph(Log)
  .addNode('fails', async (): Promise<Partial<LogState>> => {
    throw new RangeError('inside');
  })
  .addNode('late', aNode('late'))
  .addEdge(START, 'fails')
  .addEdge(START, 'late')
  .compile();

/** Graphs in graphs. */
export const nestedGraphs: Record<string, Exhibit> = {
  'two subgraphs side by side, twice': {
    input: { log: [] },
    graph: new StateGraph(Outer)
      .addNode('p', async ({ n }) => ({ n: n + 1, log: ['p'] }))
      .addNode('sub', inner)
      .addNode('sub2', inner)
      .addNode('q', async ({ n }) => ({ n: n + 1 }))
      .addEdge(START, 'p')
      .addEdge('p', 'sub')
      .addEdge('p', 'sub2')
      .addEdge(['sub', 'sub2'], 'q')
      .addConditionalEdges('q', ({ n }) => (n > 6 ? END : 'p'))
      .compile(),
  },

  'Sends to one subgraph': {
    input: { log: [] },
    graph: new StateGraph(Outer)
      .addNode('p', async () => ({ log: ['p'] }))
      .addNode('sub', inner)
      .addEdge(START, 'p')
      .addConditionalEdges('p', () => [new Send('sub', { n: 0 }), new Send('sub', { n: 10 })])
      .addEdge('sub', END)
      .compile(),
  },

  'a Command to the parent': {
    input: { log: [] },
    graph: new StateGraph(Log)
      .addNode('sub', handingOff, { ends: ['fin'] })
      .addNode('fin', aNode('fin'))
      .addEdge(START, 'sub')
      .compile(),
  },

  'a Command to the parent from a graph called in a node': {
    input: { log: [] },
    graph: new StateGraph(Log)
      .addNode('calls', (state: LogState) => handingOff.invoke(state), { ends: ['fin'] })
      .addNode('fin', aNode('fin'))
      .addEdge(START, 'calls')
      .compile(),
  },

  'a subgraph that fails and is handled': {
    input: { log: [] },
    graph: new StateGraph(Log)
      .addNode('beside', aNode('beside'))
      .addNode('sub', failing, {
        errorHandler: async (_state: LogState, { error }: { error: Error }) => ({ log: [`saved from ${error.name}`] }),
      })
      .addNode('z', aNode('z'))
      .addEdge(START, 'beside')
      .addEdge(START, 'sub')
      .addEdge(['beside', 'sub'], 'z')
      .compile(),
  },

  'a subgraph that fails and is handled while another node in it still runs': {
    input: { log: [] },
    graph: new StateGraph(Log)
      .addNode('sub', failingBesideOthers, {
        errorHandler: async (_state: LogState, { error }: { error: Error }) => ({ log: [`saved from ${error.name}`] }),
      })
      .addNode('y', aNode('y'))
      .addNode('z', aNode('z'))
      .addEdge(START, 'sub')
      .addEdge('sub', 'y')
      .addEdge('y', 'z')
      .compile(),
  },
};
