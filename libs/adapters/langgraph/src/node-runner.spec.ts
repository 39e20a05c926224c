import { AIMessage, type BaseMessage, ToolMessage } from '@langchain/core/messages';
import {
  Command,
  interrupt,
  type LangGraphRunnableConfig,
  MemorySaver,
  MessagesAnnotation,
  Send,
  START,
  StateGraph,
} from '@langchain/langgraph';
import { createReactAgent, ToolNode } from '@langchain/langgraph/prebuilt';
import {
  type AgentDefinition,
  AgentRegistry,
  type CompiledGraph,
  defineNode,
  defineTool,
  type NodeContext,
  NodeSuspension,
  runWithContext,
} from '@millrace/agent-sdk';
import { aRequestId, aRunId, TaskKey } from '@millrace/contracts';
import type { GraphTask, NodeOutcome, NodeRun } from '@millrace/ports';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { asLangChainTools } from './langchain-tools.js';
import { LangGraphRuntime } from './langgraph-runtime.js';
import { decode, encode, fromJson } from './value-codec.js';
import { aNode, Log, type LogState } from './zoo/exhibit.for-spec.js';
import { ScriptedModel } from './zoo/scripted-model.for-spec.js';

const graphOf = (body: (state: LogState, config: LangGraphRunnableConfig) => unknown, options: object = {}) =>
  new StateGraph(Log)
    .addNode('a', body as () => Promise<Partial<LogState>>, options)
    .addEdge(START, 'a')
    .compile({ checkpointer: new MemorySaver() });

const agentOf = (graph: CompiledGraph, more: Partial<AgentDefinition> = {}): AgentDefinition => ({
  ...{ id: 'zoo', version: '1', graph },
  ...more,
});

const taskOf = (input: unknown, node = 'a'): GraphTask => ({
  ...{ key: TaskKey.parse(`1/${node}`), node, iteration: 1, inputHash: 'x', input: encode(input) },
});

const runNode = (agent: AgentDefinition, input: unknown, more: Partial<NodeRun> = {}): Promise<NodeOutcome> =>
  new LangGraphRuntime(new AgentRegistry([agent])).runNode({
    ...{ agent: 'zoo', agentVersion: '1', task: taskOf(input), signal: new AbortController().signal },
    ...{ onToken: () => {}, onCustom: () => {} },
    ...more,
  });

const errorOf = (outcome: NodeOutcome): unknown => (outcome.kind === 'failed' ? outcome.error : outcome);

describe('the body of a node', () => {
  it('is given its input and gives its output as JSON', async () => {
    const graph = graphOf(async ({ topic }) => ({ topic: `${topic}!`, at: new Date(0) }));
    expect(await runNode(agentOf(graph), { topic: 'hello' })).toEqual({
      kind: 'finished',
      output: { topic: 'hello!', at: { $type: 'date', value: '1970-01-01T00:00:00.000Z' } },
    });
  });

  it.each([[undefined], [null]])('may give %s', async (given) => {
    expect(await runNode(agentOf(graphOf(async () => given)), {})).toEqual({ kind: 'finished', output: given });
  });

  it('may be given nothing', async () => {
    const graph = graphOf(async (state) => ({ topic: state === null ? 'nothing' : 'something' }));
    expect(await runNode(agentOf(graph), null)).toMatchObject({ output: { topic: 'nothing' } });
  });

  it('keeps a Command with its Sends and its graph', async () => {
    const command = new Command({ graph: Command.PARENT, goto: [new Send('b', { i: 1 })], update: { n: 1 } });
    const outcome = await runNode(agentOf(graphOf(async () => command)), {});
    expect(fromJson(outcome.kind === 'finished' ? outcome.output : outcome)).toEqual(command);
  });

  it('may give what looks like an interrupt', async () => {
    const output = { __interrupt__: [{ id: 'x', value: 'y' }] };
    expect(await runNode(agentOf(graphOf(async () => output)), {})).toEqual({ kind: 'finished', output });
  });

  it('is found in subgraphs by its path', async () => {
    const graph = new StateGraph(Log)
      .addNode('outer', graphOf(aNode('inner')))
      .addEdge(START, 'outer')
      .compile();
    expect(await runNode(agentOf(graph), null, { task: taskOf({ n: 4 }, 'outer|a') })).toMatchObject({
      output: { log: ['inner(4)'] },
    });
  });

  it.each(['b', 'a|b', '__start__', 'toString', ''])('is not found at %s', async (path) => {
    const outcome = await runNode(agentOf(graphOf(aNode('a'))), null, { task: taskOf({}, path) });
    expect(errorOf(outcome)).toMatchObject({ code: 'NODE_NOT_FOUND', redelivery: 'park' });
  });

  it('sees the name of its task and of its run', async () => {
    let seen: LangGraphRunnableConfig['configurable'];
    const graph = graphOf(async (_state, { configurable }) => void (seen = configurable));
    await runWithContext(aContext(), () => runNode(agentOf(graph), {}));
    expect(seen).toMatchObject({ thread_id: aRunId, task_key: '1/a' });
    await runNode(agentOf(graph), {});
    const first: unknown = seen?.['thread_id'];
    await runNode(agentOf(graph), {});
    expect(seen?.['thread_id']).not.toBe(first);
  });

  it('sees what the graph was configured with', async () => {
    let seen: unknown;
    const graph = graphOf(async (_state, { configurable }) => void (seen = configurable?.['style']));
    await runNode(agentOf(graph.withConfig({ configurable: { style: 'brief' } })), {});
    expect(seen).toBe('brief');
  });

  it('fails with the very error it threw', async () => {
    for (const error of [new RangeError('far'), new NodeSuspension([aRequestId])]) {
      const graph = graphOf(async () => {
        throw error;
      });
      expect(errorOf(await runNode(agentOf(graph), {}))).toBe(error);
    }
  });

  it('fails when its output cannot be stored, and saying where', async () => {
    const outcome = await runNode(agentOf(graphOf(async () => ({ topic: { run: () => 1 } }))), {});
    expect(errorOf(outcome)).toMatchObject({
      code: 'VALUE_NOT_PORTABLE',
      message: 'topic.run: a function cannot be stored',
    });
  });

  it('is not tried again by LangGraph', async () => {
    let tries = 0;
    const retryPolicy = { maxAttempts: 3, initialInterval: 1 };
    const graph = graphOf(
      async () => {
        throw new Error(`${(tries += 1)}`);
      },
      { retryPolicy },
    );
    await runNode(agentOf(graph), {});
    expect(tries).toBe(1);
  });

  it('fails when its time is over', async () => {
    const graph = graphOf((_state, { signal }) => untilAborted(signal), { timeout: 5 });
    expect(errorOf(await runNode(agentOf(graph), {}))).toMatchObject({ name: 'NodeTimeoutError', node: 'a' });
  });

  it('is told to stop by the signal, and fails with its reason', async () => {
    const stop = new AbortController();
    const reason = new Error('canceled');
    let heard = false;
    const graph = graphOf(async (_state, { signal }) => {
      stop.abort(reason);
      await untilAborted(signal).catch(() => (heard = true));
    });
    expect(errorOf(await runNode(agentOf(graph), {}, { signal: stop.signal }))).toBe(reason);
    expect(heard).toBe(true);
  });

  it('speaks through its tokens and its custom stream, in order', async () => {
    const said: unknown[] = [];
    const graph = graphOf(async (_state, { writer }) => {
      writer?.({ step: 1 });
      await new ScriptedModel().invoke('hello');
      writer?.({ step: 2 });
      await new ScriptedModel().invoke('hello', { tags: ['langsmith:nostream'] });
    });
    await runNode(agentOf(graph), {}, { onToken: (text) => said.push(text), onCustom: (chunk) => said.push(chunk) });
    expect(said).toEqual([{ step: 1 }, 'let ', 'me ', 'see', { step: 2 }]);
  });
});

describe('a body that asks people', () => {
  const graph = graphOf(async ({ topic }) => ({
    log: [interrupt(`1 ${topic}`), interrupt({ second: true })],
    when: topic,
  }));
  const agent = agentOf(graph);

  it('gives its worker back, and goes on with the answers, wait by wait', async () => {
    const first = await runNode(agent, { topic: 'x' });
    if (first.kind !== 'interrupted') throw new Error(first.kind);
    expect(first.requests.map(({ value }) => value)).toEqual(['1 x']);
    const given = { [first.requests[0]!.id]: 'one' };

    const second = await runNode(agent, null, { resume: { state: first.state, answers: given } });
    if (second.kind !== 'interrupted') throw new Error(second.kind);
    expect(second.requests.map(({ value }) => value)).toEqual([{ second: true }]);
    expect(second.requests[0]!.id).not.toBe(first.requests[0]!.id);

    const answers = { ...given, [second.requests[0]!.id]: null };
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      const last = await runNode(agent, null, { resume: { state: second.state, answers } });
      expect(last).toEqual({ kind: 'finished', output: { log: ['one', null], when: 'x' } });
    }
  });

  it('finds in its input what it was given before, dates included', async () => {
    const dated = agentOf(graphOf(async ({ topic }) => ({ topic: [interrupt('?'), topic] })));
    const outcome = await runNode(dated, { topic: new Date(0) });
    if (outcome.kind !== 'interrupted') throw new Error(outcome.kind);
    const resume = { state: outcome.state, answers: { [outcome.requests[0]!.id]: 'ok' } };
    const end = await runNode(dated, null, { resume });
    expect(end).toMatchObject({ output: { topic: ['ok', { $type: 'date' }] } });
  });

  it('may be continued anywhere: what is kept is text', async () => {
    const outcome = await runNode(agent, { topic: 'x' });
    if (outcome.kind !== 'interrupted') throw new Error(outcome.kind);
    expect(decode(outcome.state)).toMatchObject({ waits: 1 });
  });
});

describe('a node with a contract', () => {
  const shout = defineNode({
    name: 'shout',
    inputSchema: z.object({ topic: z.string() }),
    outputSchema: z.object({ topic: z.string().max(10) }),
    ports: [],
    emittedEvents: ['LogWritten'],
    run: async ({ topic }: { topic: string }, context) => {
      context.log('info', topic);
      return { topic: `${topic.toUpperCase()}!` };
    },
  });
  const agent = agentOf(
    graphOf(async () => ({ topic: 'the graph’s own body' })),
    { nodes: { a: shout } },
  );
  const run = (input: unknown) => runWithContext(aContext(), () => runNode(agent, input));

  it('is run with its context, and held to its schemas', async () => {
    expect(await run({ topic: 'hi', n: 3 })).toEqual({ kind: 'finished', output: { topic: 'HI!' } });
    expect(errorOf(await run({ topic: 7 }))).toMatchObject({ code: 'NODE_CONTRACT_BROKEN' });
    expect(errorOf(await run({ topic: 'far too long' }))).toMatchObject({ code: 'NODE_CONTRACT_BROKEN' });
  });
});

describe('the agent’s tools in LangChain', () => {
  const tools = {
    add: defineTool({
      description: 'adds',
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      run: async ({ a, b }) => ({ sum: a + b }),
    }),
    boom: defineTool({
      run: async () => {
        throw new Error('never called by LangChain');
      },
    }),
  };
  const toolNode = new StateGraph(MessagesAnnotation)
    .addNode('a', new ToolNode(asLangChainTools(tools)))
    .addEdge(START, 'a')
    .compile();
  const calls = (...names: string[]): { messages: BaseMessage[] } => ({
    messages: [
      new AIMessage({
        content: '',
        tool_calls: names.map((name, i) => ({ id: `c${i}`, name, args: { a: i, b: 2 }, type: 'tool_call' })),
      }),
    ],
  });

  it('are called through the context of the node, which records them', async () => {
    const asked: unknown[] = [];
    const context = aContext(async (name, input) => {
      asked.push([name, input]);
      if (name === 'boom') throw new Error('rejected by a person');
      return { sum: 3 };
    });
    const outcome = await runWithContext(context, () => runNode(agentOf(toolNode), calls('add', 'boom')));
    expect(asked).toEqual([
      ['add', { a: 0, b: 2 }],
      ['boom', { a: 1, b: 2 }],
    ]);
    const { messages } = fromJson(outcome.kind === 'finished' ? outcome.output : {}) as { messages: ToolMessage[] };
    expect(messages.map(({ content }) => content)).toEqual([
      '{"sum":3}',
      expect.stringContaining('rejected by a person'),
    ]);
  });

  it('let a suspension through, which a tool node would make an answer of', async () => {
    const suspension = new NodeSuspension([aRequestId]);
    const context = aContext(async () => {
      throw suspension;
    });
    const outcome = await runWithContext(context, () => runNode(agentOf(toolNode), calls('add')));
    expect(errorOf(outcome)).toBe(suspension);
  });

  it('let a suspension through an agent that is called in a node', async () => {
    const suspension = new NodeSuspension([aRequestId]);
    const inner = createReactAgent({ llm: new ScriptedModel(), tools: asLangChainTools(tools) });
    const graph = graphOf(async () => void (await inner.invoke({ messages: [{ role: 'user', content: 'x' }] })));
    const context = aContext(async () => {
      throw suspension;
    });
    const outcome = await runWithContext(context, () => runNode(agentOf(graph), {}));
    expect(errorOf(outcome)).toBe(suspension);
  });

  it('have the names, descriptions and schemas a model needs', () => {
    expect(asLangChainTools(tools).map(({ name, description }) => [name, description])).toEqual([
      ['add', 'adds'],
      ['boom', 'boom'],
    ]);
    expect(asLangChainTools(undefined)).toEqual([]);
  });
});

describe('how often a node is tried', () => {
  const retryOn = (error: Error) => error.name === 'Busy';
  const inGraph = { maxAttempts: 5, initialInterval: 100, backoffFactor: 3, maxInterval: 900, retryOn };
  const policyOf = (agent: AgentDefinition, node = 'a') =>
    new LangGraphRuntime(new AgentRegistry([agent])).retryPolicyOf('zoo', '1', node);

  it('is what the graph says', () => {
    expect(policyOf(agentOf(graphOf(aNode('a'), { retryPolicy: inGraph })))).toEqual({
      ...{ maxAttempts: 5, firstDelayMs: 100, factor: 3, maxDelayMs: 900, isRetryable: retryOn },
    });
  });

  it('is what the agent says where it says something', () => {
    const graph = graphOf(aNode('a'), { retryPolicy: inGraph });
    const agent = agentOf(graph, { retry: { a: { maxAttempts: 1, firstDelayMs: 7 } } });
    expect(policyOf(agent)).toMatchObject({ maxAttempts: 1, firstDelayMs: 7, factor: 3 });
    expect(policyOf(agentOf(graphOf(aNode('a')), { retry: { a: { maxAttempts: 2 } } }))).toEqual({ maxAttempts: 2 });
  });

  it('is said of nodes in subgraphs by their path', () => {
    const inner = graphOf(aNode('a'), { retryPolicy: { maxAttempts: 9 } });
    const graph = new StateGraph(Log).addNode('outer', inner).addEdge(START, 'outer').compile();
    expect(policyOf(agentOf(graph), 'outer|a')).toMatchObject({ maxAttempts: 9 });
  });

  it('is left to others when nobody said anything', () => {
    expect(policyOf(agentOf(graphOf(aNode('a'))))).toBeUndefined();
  });
});

const aContext = (tool: NodeContext['tool'] = async () => 'done'): NodeContext =>
  ({ runId: aRunId, tool, log: () => {} }) as unknown as NodeContext;

const untilAborted = (signal: AbortSignal | undefined): Promise<never> =>
  new Promise((_resolve, reject) => {
    const stop = () => reject(new Error('told to stop'));
    if (signal?.aborted) stop();
    signal?.addEventListener('abort', stop);
  });
