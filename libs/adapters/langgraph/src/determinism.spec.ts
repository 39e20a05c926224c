import { AIMessage } from '@langchain/core/messages';
import { Annotation, END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import type { CompiledGraph } from '@millrace/agent-sdk';
import { describe, expect, it } from '@jest/globals';
import { PlayedRun } from './played-run.for-spec.js';
import { aNode, listOf, Log, type LogState } from './zoo/exhibit.for-spec.js';

const agent = (graph: CompiledGraph) => ({ id: 'zoo', version: '1', graph });
const input = { log: [] };

/** A history made with one graph, played on with another one. */
const changed = async (before: CompiledGraph, after: CompiledGraph, events?: number) => {
  const first = new PlayedRun(agent(before), input);
  await first.toEnd();
  const history = first.events.slice(0, events);
  return new PlayedRun(agent(after), input, { history }).toEnd();
};

const notDeterministic = (reason: string) => ({ kind: 'failed', errorCode: 'NON_DETERMINISTIC_GRAPH', reason });

describe('a graph that asks for something else than it did before', () => {
  const fork = (goes: 'b' | 'c' | typeof END) =>
    new StateGraph(Log)
      .addNode('a', aNode('a'))
      .addNode('b', aNode('b'))
      .addNode('c', aNode('c'))
      .addEdge(START, 'a')
      .addConditionalEdges('a', () => goes)
      .addEdge('b', END)
      .addEdge('c', END)
      .compile();

  it('is stopped when a router went another way', async () => {
    expect(await changed(fork('b'), fork('c'))).toEqual(notDeterministic('The graph asks for 2/c, the log has 2/b'));
  });

  it('is stopped when it ends early', async () => {
    expect(await changed(fork('b'), fork(END))).toEqual(notDeterministic('The graph has ended, the log has 2/b'));
  });

  it('goes on when it only goes further than before', async () => {
    expect(await changed(fork(END), fork('b'))).toMatchObject({ kind: 'finished', output: { n: 2 } });
  });

  it('is stopped when a reducer gives something else, before the next node is run with it', async () => {
    let salt = 0;
    const State = Annotation.Root({
      log: Annotation<string[]>({ reducer: (left, right) => [...left, ...right, `${(salt += 1)}`], default: () => [] }),
      n: Annotation<number>,
    });
    const graph = new StateGraph(State)
      .addNode('a', async () => ({ log: ['a'] }))
      .addNode('b', async () => ({ log: ['b'] }))
      .addEdge(START, 'a')
      .addEdge('a', 'b')
      .compile();
    for (const events of [3, 4]) {
      expect(await changed(graph, graph, events)).toEqual(
        notDeterministic('The input of 2/b is not the one the log has'),
      );
    }
  });

  it('is stopped although an error handler would take the error', async () => {
    const guarded = (goes: 'b' | 'c') => {
      const sub = new StateGraph(Log)
        .addNode('a', aNode('a'))
        .addNode('b', aNode('b'))
        .addNode('c', aNode('c'))
        .addEdge(START, 'a')
        .addConditionalEdges('a', () => goes)
        .compile();
      return new StateGraph(Log)
        .addNode('sub', sub, { errorHandler: async (_state: LogState) => ({ log: ['swallowed'] }) })
        .addEdge(START, 'sub')
        .compile();
    };
    expect(await changed(guarded('b'), guarded('c'))).toEqual(
      notDeterministic('The graph asks for 1/sub>2/c, the log has 1/sub>2/b'),
    );
  });

  it('is stopped when a subgraph ends early, before the next node runs', async () => {
    const nested = (isLong: boolean) => {
      const sub = new StateGraph(Log)
        .addNode('x', aNode('x'))
        .addNode('y', aNode('y'))
        .addEdge(START, 'x')
        .addConditionalEdges('x', () => (isLong ? 'y' : END))
        .compile();
      return new StateGraph(Log).addNode('sub', sub).addNode('z', aNode('z')).addEdge(START, 'sub').addEdge('sub', 'z');
    };
    expect(await changed(nested(true).compile(), nested(false).compile(), 4)).toEqual(
      notDeterministic('The graph asks for 2/z, the log has 1/sub>2/y'),
    );
  });
});

describe('a graph that never asks for what has a result', () => {
  const twoSubs = (steps: number) => {
    const sub = (end: number) =>
      new StateGraph(Log)
        .addNode('x', aNode('x'))
        .addEdge(START, 'x')
        .addConditionalEdges('x', ({ n }) => (n < end ? 'x' : END))
        .compile();
    return new StateGraph(Log)
      .addNode('one', sub(steps))
      .addNode('two', sub(2))
      .addNode('z', aNode('z'))
      .addEdge(START, 'one')
      .addEdge(START, 'two')
      .addEdge(['one', 'two'], 'z')
      .compile();
  };

  it('is given the others, and stopped when it goes further', async () => {
    const run = new PlayedRun(agent(twoSubs(2)), input);
    for (const key of ['1/one>1/x', '1/one>2/x', '1/two>1/x', '1/two>2/x']) {
      await run.graph.settled();
      const task = run.offered.find((offered) => offered.key === key);
      if (!task) throw new Error(`${key} was not offered`);
      await run.work(task);
    }
    const again = new PlayedRun(agent(twoSubs(1)), input, { history: run.events });
    expect(await again.graph.settled()).toEqual(notDeterministic('The graph asks for 2/z, the log has 1/one>2/x'));
  });
});

describe('what LangGraph leaves to chance', () => {
  const twoWriters = () =>
    new StateGraph(MessagesAnnotation)
      .addNode('a', async () => ({ messages: [new AIMessage('same'), new AIMessage('same')] }))
      .addNode('b', async () => ({ messages: [new AIMessage('same')] }))
      .addNode('z', async ({ messages }) => ({ messages: [new AIMessage(messages.map(({ id }) => id).join())] }))
      .addEdge(START, 'a')
      .addEdge(START, 'b')
      .addEdge(['a', 'b'], 'z')
      .compile();

  it('is fixed: messages get the same ids in every replay, and each its own', async () => {
    const play = () => new PlayedRun(agent(twoWriters()), { messages: [{ role: 'user', content: 'same' }] }).toEnd();
    const state = await play();
    expect(await play()).toEqual(state);
    const { messages } = (state as { output: { messages: { id: string }[] } }).output;
    expect(new Set(messages.map(({ id }) => id)).size).toBe(5);
  });
});

describe('the order of results', () => {
  // Two branches; the error of whoever fails first is the run's.
  const failsIn = (name: string, steps: number) => {
    const sub = new StateGraph(Log)
      .addNode('step', aNode(name))
      .addNode('fail', async (): Promise<Partial<LogState>> => {
        throw new Error(`${name} failed`);
      })
      .addEdge(START, 'step')
      .addConditionalEdges('step', async ({ n }) => {
        await new Promise((resolve) => setTimeout(resolve, name === 'long' ? 10 : 0)); // slower than a replay
        return n < steps ? 'step' : 'fail';
      });
    return sub.compile();
  };
  const State = Annotation.Root({
    log: listOf<string>(),
    n: Annotation<number>({ reducer: Math.max, default: () => 0 }),
  });
  const race = new StateGraph(State)
    .addNode('long', failsIn('long', 3))
    .addNode('short', failsIn('short', 1))
    .addEdge(START, 'long')
    .addEdge(START, 'short')
    .compile();

  it('is that of the log in every replay: who failed first has failed first', async () => {
    const run = new PlayedRun(agent(race), input);
    for (const node of ['short|step', 'long|step', 'long|step', 'long|step', 'long|fail']) {
      await run.graph.settled();
      const task = run.offered.find((offered) => offered.node === node);
      if (!task) throw new Error(`${node} was not offered`);
      await run.work(task);
    }
    const short = run.offered.find(({ node }) => node === 'short|fail');
    const end = await run.graph.settled();
    expect(end).toMatchObject({ kind: 'failed', reason: 'long|fail: long failed' });

    if (short) await run.work(short); // its worker did not know
    const again = new PlayedRun(agent(race), input, { history: run.events });
    expect(await again.graph.settled()).toEqual(end);
  });
});
