import { Annotation, Command, END, Overwrite, Send, START, StateGraph } from '@langchain/langgraph';
import { z } from 'zod';
import { aCache, aNode, type Exhibit, Log, type LogState } from './exhibit.for-spec.js';

const afterA = (n: number): (string | Send)[] => (n > 2 ? ['c'] : ['b', new Send('w', { i: n })]);

/** Edges, routers, reducers and commands over one level of plain state. */
export const stateGraphs: Record<string, Exhibit> = {
  'a loop': {
    input: { log: ['in'] },
    graph: new StateGraph(Log)
      .addNode('a', aNode('a'))
      .addNode('b', aNode('b'))
      .addEdge(START, 'a')
      .addEdge('a', 'b')
      .addConditionalEdges('b', ({ n }) => (n >= 6 ? END : 'a'))
      .compile(),
  },

  'parallel branches of unequal length and a join, twice': {
    input: { log: [] },
    graph: new StateGraph(Log)
      .addNode('a', aNode('a'))
      .addNode('b', aNode('b'))
      .addNode('c', aNode('c'))
      .addNode('c2', aNode('c2'))
      .addNode('d', aNode('d'))
      .addEdge(START, 'a')
      .addEdge('a', 'b')
      .addEdge('a', 'c')
      .addEdge('c', 'c2')
      .addEdge(['b', 'c2'], 'd')
      .addConditionalEdges('d', ({ n }) => (n > 8 ? END : 'a'))
      .compile(),
  },

  'a map over Sends and a reduce': {
    input: { log: [], topic: 'x' },
    graph: new StateGraph(Log)
      .addNode('plan', async ({ topic }) => ({ topic: `${topic}!`, log: ['plan'], n: 1 }))
      .addNode('work', async ({ i }: { i: number }) => ({ log: [`work${i}`], n: 1 }))
      .addNode('reduce', async ({ log }) => ({ log: [`reduce:${log.length}`], n: 1 }))
      .addEdge(START, 'plan')
      .addConditionalEdges('plan', ({ topic }) => [0, 1, 2].map((i) => new Send('work', { i, topic })))
      .addEdge('work', 'reduce')
      .addConditionalEdges('reduce', ({ n }) => (n > 6 ? END : 'plan'))
      .compile(),
  },

  'Commands that update and go to nodes and Sends': {
    input: { log: [] },
    graph: new StateGraph(Log)
      .addNode('a', async ({ n }: LogState) => new Command({ update: { log: ['a'], n: 1 }, goto: afterA(n) }), {
        ends: ['b', 'c', 'w'],
      })
      .addNode('b', async () => new Command({ update: { log: ['b'], n: 1 }, goto: 'a' }), { ends: ['a'] })
      .addNode('w', async ({ i }: { i: number }) => ({ log: [`w${i}`] }))
      .addNode('c', aNode('c'))
      .addEdge(START, 'a')
      .addEdge('c', END)
      .compile(),
  },

  'deferred, cached and retried nodes': {
    input: { log: [] },
    graph: new StateGraph(Log)
      .addNode('retried', aNode('retried'), { retryPolicy: { maxAttempts: 3, initialInterval: 1 } })
      .addNode('cached', aNode('cached'), { cachePolicy: { ttl: 60 } })
      .addNode('slow', aNode('slow'), { timeout: 60_000 })
      .addNode('deferred', aNode('deferred'), { defer: true })
      .addEdge(START, 'retried')
      .addEdge('retried', 'cached')
      .addEdge('retried', 'deferred')
      .addEdge('cached', 'slow')
      .addEdge('slow', 'deferred')
      .addConditionalEdges('deferred', ({ n }) => (n > 6 ? END : 'retried'))
      .compile({ cache: aCache() }),
  },

  'zod state with a date and a set': {
    input: { items: ['q'] },
    graph: new StateGraph(
      z.object({
        items: z.array(z.string()).default(() => []),
        when: z.date().optional(),
        tags: z.set(z.string()).optional(),
        total: z.number().default(0),
      }),
    )
      .addNode('a', async ({ items, total }) => ({
        items: [...items, 'a'],
        when: new Date(1_000),
        tags: new Set(['x']),
        total: total + 1,
      }))
      .addNode('b', async ({ items, when, tags }) => ({
        items: [...items, `b:${when instanceof Date}:${tags instanceof Set}`],
      }))
      .addEdge(START, 'a')
      .addEdge('a', 'b')
      .addConditionalEdges('b', ({ total }) => (total > 1 ? END : 'a'))
      .compile(),
  },

  'a node with an input schema of its own': {
    input: { log: [], topic: 't' },
    graph: new StateGraph(Log)
      .addNode('narrow', async (state: object) => ({ log: [`keys=${Object.keys(state).join()}`], n: 1 }), {
        input: Annotation.Root({ topic: Annotation<string> }),
      })
      .addNode('b', aNode('b'))
      .addEdge(START, 'narrow')
      .addEdge('narrow', 'b')
      .compile(),
  },

  'a router at the start': {
    input: { log: [], topic: 'b' },
    graph: new StateGraph(Log)
      .addNode('a', aNode('a'))
      .addNode('b', aNode('b'))
      .addConditionalEdges(START, ({ topic }) => (topic === 'b' ? ['a', 'b'] : 'a'))
      .compile(),
  },

  'an Overwrite': {
    input: { log: ['x', 'y'] },
    graph: new StateGraph(Log)
      .addNode('a', async () => ({ log: new Overwrite(['reset']) as unknown as string[], n: 1 }))
      .addNode('b', aNode('b'))
      .addEdge(START, 'a')
      .addEdge('a', 'b')
      .compile(),
  },

  'an error handler for some of several Sends': {
    input: { log: [] },
    orderTells: true,
    graph: new StateGraph(Log)
      .addNode('p', aNode('p'))
      .addNode(
        'bad',
        async ({ i }: { i: number }) => {
          if (i !== 1) throw new RangeError(`nope${i}`);
          return { log: ['good1'] };
        },
        {
          errorHandler: async (_input: unknown, { node, error }: { node: string; error: Error }) => ({
            log: [`handled ${node} ${error.name}:${error.message}`],
          }),
        },
      )
      .addNode('z', aNode('z'))
      .addEdge(START, 'p')
      .addConditionalEdges('p', () => [0, 1, 2].map((i) => new Send('bad', { i })))
      .addEdge('bad', 'z')
      .compile(),
  },

  'names that look like keys': {
    input: { log: [] },
    graph: new StateGraph(Log)
      .addNode('a>b', aNode('a>b'))
      .addNode('w', aNode('w'))
      .addNode('w[0]', aNode('w[0]'))
      .addEdge(START, 'a>b')
      .addEdge('a>b', 'w[0]')
      .addConditionalEdges('a>b', () => [new Send('w', { n: 7 })])
      .compile(),
  },

  'a router that takes its time': {
    input: { log: [] },
    graph: new StateGraph(Log)
      .addNode('a', aNode('a'))
      .addNode('b', aNode('b'))
      .addNode('c', aNode('c'))
      .addEdge(START, 'a')
      .addEdge(START, 'b')
      .addConditionalEdges('a', async () => {
        await new Promise((resolve) => setTimeout(resolve, 2));
        return 'c';
      })
      .compile(),
  },
};
