import { HumanMessage } from '@langchain/core/messages';
import { END, MessagesAnnotation, Send, START, StateGraph } from '@langchain/langgraph';
import { AgentRegistry, type AgentDefinition, type CompiledGraph } from '@millrace/agent-sdk';
import type { RunFactOf } from '@millrace/contracts';
import type { GraphCheckpoint, GraphDriver, GraphTask } from '@millrace/ports';
import { afterEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { turn } from './activity.js';
import { LangGraphRuntime } from './langgraph-runtime.js';
import { PlayedRun } from './played-run.for-spec.js';
import { aNode, Log, type LogState } from './zoo/exhibit.for-spec.js';

const agent = (graph: CompiledGraph, more: Partial<AgentDefinition> = {}): AgentDefinition => ({
  id: 'zoo',
  version: '1',
  graph,
  ...more,
});
const input = { log: [] };

const oneNode = new StateGraph(Log).addNode('a', aNode('a')).addEdge(START, 'a').compile();
const loop = new StateGraph(Log)
  .addNode('a', aNode('a'))
  .addEdge(START, 'a')
  .addConditionalEdges('a', ({ n, topic }) => (n < Number(topic) ? 'a' : END))
  .compile();
const failing = (error: unknown) =>
  new StateGraph(Log)
    .addNode('a', async (): Promise<Partial<LogState>> => {
      throw error;
    })
    .addEdge(START, 'a')
    .compile();

// A promise that rejects unobserved fails the test it happens in: each one lasts until nothing is left to happen.
afterEach(turn);

describe('settled()', () => {
  it('waits once the tasks of a step are in the log and offered', async () => {
    const run = new PlayedRun(agent(oneNode), input);
    expect(await run.graph.settled()).toEqual({ kind: 'waiting' });
    expect(run.events.map(({ kind }) => kind)).toEqual(['NodeScheduled']);
    expect(run.offered).toMatchObject([{ key: '1/a', node: 'a', iteration: 1 }]);
    run.graph.stop();
  });

  it('waits for a slow store, however many turns it takes', async () => {
    let store = () => {};
    const stored = new Promise<void>((resolve) => (store = resolve));
    const run = new PlayedRun(agent(oneNode), input);
    const schedule = run.schedule.bind(run);
    run.schedule = async (tasks) => {
      await stored;
      return schedule(tasks);
    };
    const settled = run.graph.settled();
    for (let turns = 0; turns < 20; turns += 1) await turn();
    expect(run.offered).toEqual([]);
    store();
    expect(await settled).toEqual({ kind: 'waiting' });
    expect(run.offered).toHaveLength(1);
    run.graph.stop();
  });

  it('waits for a router that takes its time while no task is open', async () => {
    let decide = () => {};
    const decided = new Promise<void>((resolve) => (decide = resolve));
    const graph = new StateGraph(Log)
      .addNode('a', aNode('a'))
      .addNode('b', aNode('b'))
      .addEdge(START, 'a')
      .addConditionalEdges('a', async () => {
        await decided;
        return 'b';
      })
      .compile();
    const run = new PlayedRun(agent(graph), input);
    await run.graph.settled();
    await run.work(run.offered[0]!);
    const settled = run.graph.settled();
    for (let turns = 0; turns < 20; turns += 1) await turn();
    expect(run.offered).toEqual([]);
    decide();
    await settled;
    expect(run.offered).toMatchObject([{ key: '2/b' }]);
    run.graph.stop();
  });

  it('says the same to everybody who asks, also later', async () => {
    const run = new PlayedRun(agent(oneNode), input);
    const end = await run.toEnd();
    expect(end).toEqual({ kind: 'finished', output: { log: ['a(0)'], n: 1 } });
    expect(await Promise.all([run.graph.settled(), run.graph.settled()])).toEqual([end, end]);
    run.graph.apply(run.events[0]!);
    expect(await run.graph.settled()).toBe(await run.graph.settled());
  });

  it('rejects when the run has gone another way, and the graph does nothing more', async () => {
    const run = new PlayedRun(agent(loop), { ...input, topic: '3' });
    await run.graph.settled();
    const lost = new Error('the log has moved');
    run.schedule = () => Promise.reject(lost);
    await run.work(run.offered[0]!);
    await expect(run.graph.settled()).rejects.toBe(lost);
    await expect(run.graph.settled()).rejects.toBe(lost);
    expect(run.offered).toEqual([]);
    expect(run.graph.openTasks()).toEqual([]);
  });

  it.each(['offer', 'checkpoint'] as const)('rejects when the driver throws at %s', async (call) => {
    const run = new PlayedRun(agent(loop), { ...input, topic: '3' }, { checkpointRule: () => true });
    const broken = new Error('broken');
    run[call] = () => {
      throw broken;
    };
    await expect(run.toEnd()).rejects.toBe(broken);
  });

  it('is quiet after stop(), and nothing is offered or scheduled any more', async () => {
    const run = new PlayedRun(agent(oneNode), input);
    const pending = run.graph.settled();
    run.graph.stop();
    expect(await pending).toEqual({ kind: 'waiting' });
    expect(await run.graph.settled()).toEqual({ kind: 'waiting' });
    expect(run.events).toEqual([]);
  });

  it('can be stopped in the middle of a step, and twice', async () => {
    const run = new PlayedRun(agent(oneNode), input);
    await run.graph.settled();
    run.graph.stop();
    run.graph.stop();
    expect(run.graph.openTasks()).toEqual([]);
    run.append(finished('1/a', { n: 1 }));
    expect(await run.graph.settled()).toEqual({ kind: 'waiting' });
  });
});

const finished = (key: string, output: unknown): RunFactOf<'NodeFinished'> => ({
  kind: 'NodeFinished',
  ...{ agentId: 'zoo', node: key.slice(2), taskKey: key as GraphTask['key'], iteration: 1, attempt: 1 },
  ...{ result: 'SUCCESS', durationMs: 1, output },
});

describe('tasks', () => {
  const threeAtOnce = new StateGraph(Log)
    .addNode('p', aNode('p'))
    .addNode('work', async ({ i }: { i: number }) => ({ log: [`${i}`] }))
    .addEdge(START, 'p')
    .addConditionalEdges('p', () => [0, 1, 2].map((i) => new Send('work', { i })))
    .compile();

  it('of one step are scheduled in one event', async () => {
    const run = new PlayedRun(agent(threeAtOnce), input);
    await run.toEnd();
    const scheduled = run.events.flatMap((event) => (event.kind === 'NodeScheduled' ? [event.tasks] : []));
    expect(scheduled.map((tasks) => tasks.map(({ key }) => key))).toEqual([
      ['1/p'],
      ['2/work[0]', '2/work[1]', '2/work[2]'],
    ]);
  });

  it('of one step are scheduled in one event with those of the graphs inside it', async () => {
    const deep = new StateGraph(Log).addNode('sub', oneNode).addEdge(START, 'sub').compile();
    const graph = new StateGraph(Log)
      .addNode('p', aNode('p'))
      .addNode('deep', deep)
      .addEdge(START, 'p')
      .addEdge(START, 'deep')
      .compile();
    const run = new PlayedRun(agent(graph), input);
    await run.graph.settled();
    expect(run.events).toHaveLength(1);
    expect(run.keys).toEqual(['1/p', '1/deep>1/sub>1/a']);
    run.graph.stop();
  });

  it('stay open until they have a result, and are offered again after a restart', async () => {
    const run = new PlayedRun(agent(threeAtOnce), input);
    for (let count = 0; count < 2; count += 1) {
      await run.graph.settled();
      await run.work(run.offered[0]!);
    }
    await run.graph.settled();
    const open = ['2/work[1]', '2/work[2]'];
    expect(run.graph.openTasks().map(({ key }) => key)).toEqual(open);
    run.graph.stop();

    const again = new PlayedRun(agent(threeAtOnce), input, { history: run.events });
    await again.graph.settled();
    expect(again.offered.map(({ key }) => key)).toEqual(open);
    expect(again.graph.openTasks()).toEqual(again.offered);
    expect(again.events).toHaveLength(run.events.length);
    again.graph.stop();
  });

  it('count with their first result', async () => {
    const run = new PlayedRun(agent(oneNode), input);
    await run.graph.settled();
    run.append(finished('1/a', { log: ['first'] }));
    run.append(finished('1/a', { log: ['second'] }));
    expect(await run.graph.settled()).toMatchObject({ output: { log: ['first'] } });
  });

  it('may be finished before the store has answered', async () => {
    const run = new PlayedRun(agent(oneNode), input);
    const schedule = run.schedule.bind(run);
    run.schedule = async (tasks) => {
      await schedule(tasks);
      run.append(finished('1/a', { log: ['early'] }));
    };
    expect(await run.graph.settled()).toMatchObject({ kind: 'finished', output: { log: ['early'] } });
    expect(run.offered).toEqual([]);
  });

  it('that were skipped leave the state as it is, and the graph goes on', async () => {
    const run = new PlayedRun(agent(loop), { ...input, topic: '0' });
    await run.graph.settled();
    run.append({ ...finished('1/a', undefined), result: 'SKIPPED' });
    expect(await run.graph.settled()).toEqual({ kind: 'finished', output: { log: [], n: 0, topic: '0' } });
  });
});

describe('the end of a graph', () => {
  it('is its state as plain JSON', async () => {
    const graph = new StateGraph(MessagesAnnotation)
      .addNode('a', async () => ({ messages: [new HumanMessage({ content: 'hi', id: 'm1' })] }))
      .addEdge(START, 'a')
      .compile();
    expect(await new PlayedRun(agent(graph), { messages: [] }).toEnd()).toEqual({
      kind: 'finished',
      output: { messages: [{ type: 'human', content: 'hi', id: 'm1' }] },
    });
  });

  it('is what the agent makes of input and state', async () => {
    const definition = agent(oneNode, {
      inputSchema: z.object({ text: z.string().trim() }),
      toState: (given, seed) => ({ log: [(given as { text: string }).text, JSON.stringify(seed ?? null)] }),
      toOutput: (state) => ({ text: (state as LogState).log.join(' '), at: new Date(0), missing: undefined }),
    });
    expect(await new PlayedRun(definition, { text: ' hello ' }).toEnd()).toEqual({
      kind: 'finished',
      output: { text: 'hello null a(0)', at: '1970-01-01T00:00:00.000Z' },
    });
  });

  it.each([
    ['MAX_RETRIES_EXCEEDED', { message: 'busy', code: 'MAX_RETRIES_EXCEEDED', retryable: false }],
    ['NON_RETRYABLE_ERROR', { message: 'busy', code: 'NON_RETRYABLE_ERROR' }],
    ['NON_RETRYABLE_ERROR', { message: 'busy', code: 'INPUT_INVALID', retryable: false }],
    ['MAX_RETRIES_EXCEEDED', { message: 'busy' }],
  ])('is %s after the failure of a node', async (errorCode, error) => {
    const run = new PlayedRun(agent(oneNode), input);
    await run.graph.settled();
    run.append({ ...finished('1/a', undefined), result: 'FAILURE', error });
    expect(await run.graph.settled()).toEqual({ kind: 'failed', errorCode, reason: 'a: busy' });
  });

  it('is the first failure when several nodes fail', async () => {
    const graph = new StateGraph(Log)
      .addNode('a', aNode('a'))
      .addNode('b', aNode('b'))
      .addEdge(START, 'a')
      .addEdge(START, 'b')
      .compile();
    const run = new PlayedRun(agent(graph), input);
    await run.graph.settled();
    run.append({ ...finished('1/b', undefined), result: 'FAILURE', error: { message: 'b broke' } });
    run.append({ ...finished('1/a', undefined), result: 'FAILURE', error: { message: 'a broke' } });
    expect(await run.graph.settled()).toMatchObject({ kind: 'failed', reason: 'b: b broke' });
  });

  it.each([
    ['a schema', agent(oneNode, { inputSchema: z.object({ text: z.string() }) }), { text: 1 }],
    [
      'toState',
      agent(oneNode, {
        toState: () => {
          throw new Error('no such file');
        },
      }),
      {},
    ],
    ['what cannot be stored', agent(oneNode, { toState: () => ({ topic: () => 'x' }) }), {}],
    ['the state schema', agent(zodGraph()), { total: 'many' }],
    ['a graph that is given nothing', agent(oneNode), undefined],
  ])('is INPUT_INVALID when %s refuses the input', async (_what, definition, given) => {
    const run = new PlayedRun(definition, given);
    expect(await run.toEnd()).toMatchObject({ kind: 'failed', errorCode: 'INPUT_INVALID' });
    expect(run.events).toEqual([]);
  });

  it('is INTERNAL_ERROR when a router throws', async () => {
    const graph = new StateGraph(Log)
      .addNode('a', aNode('a'))
      .addEdge(START, 'a')
      .addConditionalEdges('a', (): typeof END => {
        throw new Error('lost');
      })
      .compile();
    expect(await new PlayedRun(agent(graph), input).toEnd()).toEqual({
      kind: 'failed',
      errorCode: 'INTERNAL_ERROR',
      reason: 'lost',
    });
  });

  it('is INTERNAL_ERROR when toOutput throws', async () => {
    const toOutput = () => {
      throw new Error('no output');
    };
    expect(await new PlayedRun(agent(oneNode, { toOutput }), input).toEnd()).toMatchObject({ reason: 'no output' });
  });

  it('is what the body threw, packed by the worker', async () => {
    expect(await new PlayedRun(agent(failing('a plain text')), input).toEnd()).toMatchObject({
      kind: 'failed',
      reason: 'a: a plain text',
    });
  });
});

function zodGraph() {
  return new StateGraph(z.object({ total: z.number() }))
    .addNode('a', async () => ({ total: 1 }))
    .addEdge(START, 'a')
    .compile();
}

describe('the limit of steps', () => {
  it.each([4, 5, 6])('is LangGraph’s own, from the start and from a checkpoint: %i', async (recursionLimit) => {
    const given = { ...input, topic: '5' };
    const expected = await loop.invoke(given, { recursionLimit }).then(
      () => 'finished',
      (error: Error) => error.name,
    );
    const play = (history: PlayedRun['events'] = []) =>
      new PlayedRun(agent(loop, { recursionLimit }), given, {
        ...{ history, startFrom: 'the last checkpoint', checkpointRule: () => true },
      });
    const whole = play();
    const end = await whole.toEnd();
    expect(end.kind === 'failed' ? end.errorCode : end.kind).toBe(
      expected === 'finished' ? expected : 'RECURSION_LIMIT_EXCEEDED',
    );
    for (let length = 0; length < whole.events.length; length += 1) {
      expect(await play(whole.events.slice(0, length)).toEnd()).toEqual(end);
    }
  });

  it('holds for an inner graph from its own start', async () => {
    const graph = new StateGraph(Log)
      .addNode('a', aNode('a'))
      .addNode('b', aNode('b'))
      .addNode('sub', loop)
      .addEdge(START, 'a')
      .addEdge('a', 'b')
      .addEdge('b', 'sub')
      .compile();
    const options = { startFrom: 'the last checkpoint', checkpointRule: () => true } as const;
    const definition = agent(graph, { recursionLimit: 5 });
    const whole = new PlayedRun(definition, { ...input, topic: '5' }, options);
    expect(await whole.toEnd()).toMatchObject({ kind: 'finished' });
    for (let length = 0; length < whole.events.length; length += 1) {
      const history = whole.events.slice(0, length);
      const again = new PlayedRun(definition, { ...input, topic: '5' }, { ...options, history });
      expect(await again.toEnd()).toMatchObject({ kind: 'finished' });
    }
  });

  it('is the one the graph was configured with when the agent says nothing', async () => {
    const limited = loop.withConfig({ recursionLimit: 2 });
    expect(await new PlayedRun(agent(limited), { ...input, topic: '9' }).toEnd()).toMatchObject({
      errorCode: 'RECURSION_LIMIT_EXCEEDED',
    });
  });
});

describe('checkpoints', () => {
  const given = { ...input, topic: '70' };
  const definition = agent(loop, { recursionLimit: 100 });

  it('are made ever more rarely', async () => {
    const run = new PlayedRun(definition, given);
    await run.toEnd();
    const saved = run.events.flatMap((event) => (event.kind === 'CheckpointSaved' ? [event.iteration] : []));
    expect(saved).toEqual([20, 40, 60]);
  });

  it('are not made again in a replay', async () => {
    const run = new PlayedRun(definition, given);
    await run.toEnd();
    const again = new PlayedRun(definition, given, { history: run.events });
    await again.toEnd();
    expect(again.events).toHaveLength(run.events.length);
  });

  it('make what came before them unneeded', async () => {
    const run = new PlayedRun(definition, given);
    const end = await run.toEnd();
    const lost = run.events.map((event) =>
      event.kind === 'NodeFinished' && event.iteration <= 60 ? { ...event, output: { $type: 'lost' } } : event,
    );
    const from = (startFrom: 'the beginning' | 'the last checkpoint') =>
      new PlayedRun(definition, given, { history: lost, startFrom }).toEnd();
    expect(await from('the last checkpoint')).toEqual(end);
    expect(await from('the beginning')).toMatchObject({ kind: 'failed', errorCode: 'INTERNAL_ERROR' });
  });
});

describe('start()', () => {
  const driver: GraphDriver = {
    schedule: async (_tasks: readonly GraphTask[]) => {},
    offer: (_task: GraphTask) => {},
    checkpoint: (_saved: GraphCheckpoint) => {},
  };

  it('throws what the registry says of an agent it does not have', () => {
    const runtime = new LangGraphRuntime(new AgentRegistry([agent(oneNode)]));
    const start = { input, history: [] };
    const missing = () => runtime.start({ ...start, agent: 'none', agentVersion: '1' }, driver);
    const gone = () => runtime.start({ ...start, agent: 'zoo', agentVersion: '0' }, driver);
    expect(missing).toThrow(expect.objectContaining({ code: 'AGENT_NOT_FOUND' }));
    expect(gone).toThrow(expect.objectContaining({ code: 'AGENT_VERSION_GONE' }));
  });

  it('leaves the user’s graph as it was', async () => {
    const before = { ...oneNode.nodes.a };
    await new PlayedRun(agent(oneNode), input).toEnd();
    expect({ ...oneNode.nodes.a }).toEqual(before);
    expect(oneNode.checkpointer).toBeUndefined();
    expect(await oneNode.invoke(input)).toEqual({ log: ['a(0)'], n: 1 });
  });
});
