import { END, entrypoint, getConfig, MemorySaver, Send, START, StateGraph, task } from '@langchain/langgraph';
import type { AgentDefinition, CompiledGraph } from '@millrace/agent-sdk';
import { describe, expect, it, jest } from '@jest/globals';
import { PlayedRun } from './played-run.for-spec.js';
import { aCache, aNode, Log, type LogState } from './zoo/exhibit.for-spec.js';

const agent = (graph: CompiledGraph): AgentDefinition => ({ id: 'zoo', version: '1', graph });
const input = { log: [] };
const chain = () =>
  new StateGraph(Log).addNode('a', aNode('a')).addNode('b', aNode('b')).addEdge(START, 'a').addEdge('a', 'b');

describe('what cannot be played from a log', () => {
  const unsupported = (reason: string) => ({
    kind: 'failed',
    errorCode: 'INTERNAL_ERROR',
    reason: expect.stringContaining(reason) as unknown,
  });

  it.each([
    ['interruptBefore', chain().compile({ interruptBefore: ['b'], checkpointer: new MemorySaver() })],
    ['interruptAfter', chain().compile({ interruptAfter: '*', checkpointer: new MemorySaver() })],
  ])('is refused: %s', async (_what, graph) => {
    const run = new PlayedRun(agent(graph), input);
    expect(await run.toEnd()).toEqual(unsupported('call interrupt() in a node instead'));
    expect(run.events).toEqual([]);
  });

  it('is refused: a subgraph that remembers its last visit', async () => {
    const sub = chain().compile({ checkpointer: true });
    const graph = new StateGraph(Log).addNode('sub', sub).addEdge(START, 'sub').compile();
    expect(await new PlayedRun(agent(graph), input).toEnd()).toEqual(
      unsupported('The subgraph sub has a checkpointer'),
    );
  });

  it('is refused: a Send with a timeout, whatever handles errors', async () => {
    const graph = new StateGraph(Log)
      .addNode('a', aNode('a'), { errorHandler: async (_state: LogState) => ({ log: ['swallowed'] }) })
      .addConditionalEdges(START, () => [new Send('a', { n: 1 }, { timeout: 60_000 })])
      .compile();
    expect(await new PlayedRun(agent(graph), input).toEnd()).toEqual(unsupported('A Send to a has a timeout'));
  });

  it('is refused: something that is no graph of LangGraph', async () => {
    const graph = { nodes: {}, invoke: async () => ({}) };
    expect(await new PlayedRun(agent(graph), input).toEnd()).toEqual(unsupported('no compiled LangGraph graph'));
  });

  it('is refused: a name too long to be stored', async () => {
    const long = 'x'.repeat(150);
    const sub = new StateGraph(Log).addNode(long, aNode('x')).addEdge(START, long).compile();
    const graph = new StateGraph(Log).addNode(long, sub).addEdge(START, long).compile();
    expect(await new PlayedRun(agent(graph), input).toEnd()).toEqual(unsupported('is longer than can be stored'));
  });
});

describe('a shadow', () => {
  it('serves several runs at once', async () => {
    const graph = chain()
      .addConditionalEdges('b', ({ n }) => (n < 6 ? 'a' : END))
      .compile();
    const first = new PlayedRun(agent(graph), { log: ['first'] });
    const runs = [first, new PlayedRun(agent(graph), { log: ['second'] })];
    const ends = await Promise.all(runs.map((run) => run.toEnd()));
    const log = ['a(0)', 'b(1)', 'a(2)', 'b(3)', 'a(4)', 'b(5)'];
    expect(ends).toEqual([
      { kind: 'finished', output: { log: ['first', ...log], n: 6 } },
      { kind: 'finished', output: { log: ['second', ...log], n: 6 } },
    ]);
  });

  it('runs as many nodes at once as it likes: limits are for the workers', async () => {
    const graph = new StateGraph(Log)
      .addNode('a', aNode('a'))
      .addNode('b', aNode('b'))
      .addEdge(START, 'a')
      .addEdge(START, 'b')
      .compile();
    const run = new PlayedRun(agent(graph.withConfig({ maxConcurrency: 1 })), input);
    await run.graph.settled();
    expect(run.offered.map(({ key }) => key)).toEqual(['1/a', '1/b']);
    run.graph.stop();
  });

  it('lets routers see the config, as LangGraph does', async () => {
    const seen: unknown[] = [];
    const graph = chain()
      .addConditionalEdges('b', (_state, config) => {
        seen.push(config.configurable?.['style'], getConfig()?.configurable?.['style']);
        return END;
      })
      .compile()
      .withConfig({ configurable: { style: 'brief' } });
    await new PlayedRun(agent(graph), input).toEnd();
    expect(seen).toEqual(['brief', 'brief']);
  });

  it('does not run a body, and does not read a cache', async () => {
    let bodies = 0;
    const graph = new StateGraph(Log)
      .addNode('a', async () => ({ log: [`body ${(bodies += 1)}`] }), { cachePolicy: { ttl: 60 } })
      .addEdge(START, 'a')
      .compile({ cache: aCache() });
    const finish = async () => {
      const run = new PlayedRun(agent(graph), input);
      await run.graph.settled();
      expect(run.keys).toEqual(['1/a']); // scheduled, although the worker will find it in its cache
      return run.toEnd();
    };
    const end = await finish();
    expect(end).toEqual({ kind: 'finished', output: { log: ['body 1'], n: 0 } });
    expect(await finish()).toEqual(end);
    expect(bodies).toBe(1);
  });

  it('plays a workflow of the functional API as one node', async () => {
    const double = task('double', async (n: number) => n * 2);
    const workflow = entrypoint('workflow', async (n: number) => (await double(n)) + 1);
    expect(await new PlayedRun(agent(workflow), 4).toEnd()).toEqual({ kind: 'finished', output: 9 });
  });

  it('is made once for all runs of an agent', async () => {
    const graph = chain().compile();
    const copied = jest.spyOn(graph, 'withConfig');
    const run = new PlayedRun(agent(graph), input);
    await run.toEnd();
    const start = { agent: 'zoo', agentVersion: '1', input, history: run.events };
    await run.runtime.start(start, run).settled();
    expect(copied).toHaveBeenCalledTimes(1);
  });
});
