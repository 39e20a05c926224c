import { Runnable } from '@langchain/core/runnables';
import { AsyncLocalStorageProviderSingleton } from '@langchain/core/singletons';
import {
  Annotation,
  type BaseStore,
  getCurrentTaskInput,
  InMemoryStore,
  interrupt,
  isGraphInterrupt,
  type LangGraphRunnableConfig,
  MemorySaver,
  START,
  StateGraph,
  task,
} from '@langchain/langgraph';
import { type AgentDefinition, AgentRegistry, type CompiledGraph } from '@millrace/agent-sdk';
import { TaskKey } from '@millrace/contracts';
import type { NodeOutcome, NodeRun } from '@millrace/ports';
import { describe, expect, it } from '@jest/globals';
import type { BodyWay } from './body-way.js';
import { LangGraphRuntime } from './langgraph-runtime.js';
import { PlayedRun } from './played-run.for-spec.js';
import { encode } from './value-codec.js';
import { Log, type LogState } from './zoo/exhibit.for-spec.js';
import { withoutIds, zoo } from './zoo/zoo.for-spec.js';

const WAYS: readonly BodyWay[] = ['direct', 'pregel'];

describe.each(zoo)('%s', (_name, { graph, input, answer }) => {
  it('says and leaves the same, whether LangGraph runs its bodies or we call them', async () => {
    const played = async (bodies: BodyWay) => {
      const definition: AgentDefinition = { id: 'zoo', version: '1', graph };
      const run = new PlayedRun(definition, input, { bodies, ...(answer ? { answer } : {}) });
      const end = await run.toEnd();
      const { executed, tokens, customs } = run;
      return withoutIds(
        JSON.parse(withoutChance(JSON.stringify({ end, events: run.events, executed, tokens, customs }))),
      );
    };
    expect(await played('direct')).toEqual(await played('pregel'));
  });
});

/** The ids LangGraph draws, in the order they appear; what it keeps for a wait is written in them. */
const withoutChance = (text: string): string => {
  const seen = new Map<string, string>();
  return text
    .replace(/"inputHash":"[^"]*"/g, '"inputHash":"…"') // of messages with ids
    .replace(/"state":"(?:[^"\\]|\\.)*"/g, '"state":"…"')
    .replace(/\b[0-9a-f]{32}\b|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, (id) => {
      const name = seen.get(id) ?? `id ${seen.size + 1}`;
      seen.set(id, name);
      return name;
    });
};

const runNode = (graph: CompiledGraph, bodies: BodyWay, more: Partial<NodeRun> = {}): Promise<NodeOutcome> =>
  new LangGraphRuntime(new AgentRegistry([{ id: 'zoo', version: '1', graph }]), undefined, bodies).runNode({
    ...{ agent: 'zoo', agentVersion: '1', signal: new AbortController().signal },
    task: { key: TaskKey.parse('1/a'), node: 'a', iteration: 1, inputHash: 'x', input: encode({ topic: 'x' }) },
    ...{ onToken: () => {}, onCustom: () => {} },
    ...more,
  });

describe('what a body is given beside its input', () => {
  /** Hands on what it was called with, as no runnable of LangChain would leave it. */
  class Spy extends Runnable {
    lc_namespace = ['millrace'];
    given: LangGraphRunnableConfig | undefined;
    ambient: unknown;

    async invoke(_input: unknown, config: LangGraphRunnableConfig): Promise<unknown> {
      this.given = config;
      this.ambient = AsyncLocalStorageProviderSingleton.getRunnableConfig();
      return {};
    }
  }

  const seen = async (bodies: BodyWay, store: BaseStore | undefined) => {
    const spy = new Spy();
    const config = {
      ...{ configurable: { style: 'brief', run_id: 'r' }, metadata: { team: 'red' }, tags: ['tagged'] },
      ...{ context: { user: 'u' }, recursionLimit: 7 },
    };
    const graph = new StateGraph(Log)
      .addNode('a', spy as unknown as () => Promise<Partial<LogState>>, { metadata: { kind: 'spied' } })
      .addEdge(START, 'a')
      .compile(store ? { store } : {})
      .withConfig(config);
    await runNode(graph, bodies);
    return described({ given: spy.given, ambient: spy.ambient });
  };

  it.each([[undefined], [new InMemoryStore()]])('is key by key what LangGraph gives it (store: %s)', async (store) => {
    const [direct, pregel] = [await seen('direct', store), await seen('pregel', store)];
    expect(direct).toEqual(pregel);
    expect(direct).toHaveProperty('given.configurable.checkpoint_ns');
  });

  /** Keys and values; functions and LangGraph's objects by their kind; ids and times by their form. */
  const described = (value: unknown): unknown => {
    if (typeof value === 'function') return 'function';
    if (typeof value === 'string') return value.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'uuid');
    if (typeof value !== 'object' || value === null) return Number(value) > 1_000_000 ? 'time' : value;
    if (Array.isArray(value)) return value.map(described);
    const { name } = value.constructor;
    if (!['Object', 'CallbackManager'].includes(name)) return name;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, described(item)]));
  };
});

describe('a question', () => {
  it('has the id LangGraph gives it when it runs the same body', async () => {
    const thrown: string[] = [];
    const graph = new StateGraph(Log)
      .addNode('a', async () => {
        try {
          return { log: [interrupt<string, string>('one'), interrupt<string, string>('two')] };
        } catch (error) {
          if (isGraphInterrupt(error)) thrown.push(String(error.interrupts[0]?.id));
          throw error;
        }
      })
      .addEdge(START, 'a')
      .compile({ checkpointer: new MemorySaver() });
    const first = await runNode(graph, 'direct');
    if (first.kind !== 'interrupted') throw new Error(first.kind);
    const id = first.requests[0]!.id;
    const second = await runNode(graph, 'direct', { resume: { state: first.state, answers: { [id]: 'yes' } } });
    if (second.kind !== 'interrupted') throw new Error(second.kind);
    expect([id, second.requests[0]!.id]).toEqual([`1:${thrown[0]}`, `2:${thrown[1]}`]);
    expect(thrown[1]).toBe(thrown[0]); // LangGraph's own run of the body, which goes on where the call stopped
  });

  it('is answered when an earlier version asked it, and kept less of it', async () => {
    const graph = new StateGraph(Log)
      .addNode('a', async ({ topic }) => ({ log: [topic, interrupt<string, string>('one')] }))
      .addEdge(START, 'a')
      .compile({ checkpointer: new MemorySaver() });
    const answers = { '1:37b9484f519e79396eac6e3cebe728de': 'yes' };
    const end = await runNode(graph, 'direct', { resume: { state: KEPT_BEFORE, answers } });
    expect(end).toEqual({ kind: 'finished', output: { log: ['x', 'yes'] } });
  });

  it('is answered also where another graph happens to be around its worker', async () => {
    const inner = new StateGraph(Log)
      .addNode('a', async () => ({ log: [interrupt<string, string>('one')] }))
      .addEdge(START, 'a')
      .compile();
    const first = await runNode(inner, 'direct');
    if (first.kind !== 'interrupted') throw new Error(first.kind);
    const resume = { state: first.state, answers: { [first.requests[0]!.id]: 'yes' } };
    let end: NodeOutcome | undefined;
    const outer = new StateGraph(Log)
      .addNode('a', async () => {
        end = await runNode(inner, 'direct', { resume });
        return {};
      })
      .addEdge(START, 'a')
      .compile();
    await outer.invoke({ topic: 'outer' });
    expect(end).toEqual({ kind: 'finished', output: { log: ['yes'] } });
  });

  it('finds the input again as it was before the body changed it', async () => {
    const graph = new StateGraph(Annotation.Root({ topic: Annotation<string> }))
      .addNode('a', async (state) => {
        state.topic += '!';
        return { topic: state.topic + interrupt<string, string>('?') };
      })
      .addEdge(START, 'a')
      .compile({ checkpointer: new MemorySaver() });
    const asked = await runNode(graph, 'direct');
    if (asked.kind !== 'interrupted') throw new Error(asked.kind);
    const answers = { [asked.requests[0]!.id]: ' ok' };
    const end = await runNode(graph, 'direct', { resume: { state: asked.state, answers } });
    expect(end).toEqual({ kind: 'finished', output: { topic: 'x! ok' } });
  });
});

describe.each(WAYS)('a body run the way "%s"', (way) => {
  const graphOf = (body: (state: LogState, config: LangGraphRunnableConfig) => unknown) =>
    new StateGraph(Log)
      .addNode('a', body as () => Promise<Partial<LogState>>)
      .addEdge(START, 'a')
      .compile();

  it('is begun once, also when it calls a task after it has spoken', async () => {
    const twice = task('twice', async (text: string) => text + text);
    const said: unknown[] = [];
    const graph = graphOf(async (_state, { writer }) => {
      writer?.('begun');
      return { topic: await twice('a') };
    });
    const outcome = await runNode(graph, way, { onCustom: (chunk) => said.push(chunk) });
    expect(outcome).toEqual({ kind: 'finished', output: { topic: 'aa' } });
    expect(said).toEqual(['begun']);
  });

  it('fails with the very error it threw behind a task', async () => {
    const error = new RangeError('far');
    const graph = graphOf(async () => {
      await task('fine', async () => 1)();
      throw error;
    });
    const outcome = await runNode(graph, way);
    expect(outcome.kind === 'failed' && outcome.error).toBe(error);
  });

  it('fails with a task it calls, and is not waited for', async () => {
    const graph = graphOf(async () => {
      await task('fails', async () => {
        throw new RangeError('no luck');
      })().catch(() => new Promise(() => {}));
    });
    const outcome = await runNode(graph, way);
    const error = outcome.kind === 'failed' ? outcome.error : undefined;
    const errors: unknown[] = error instanceof AggregateError ? error.errors : [error];
    expect(errors).toContainEqual(new RangeError('no luck'));
  });

  it('is not begun when it is told to stop before', async () => {
    let begun = false;
    const reason = new Error('canceled');
    const graph = graphOf(async () => void (begun = true));
    expect(await runNode(graph, way, { signal: AbortSignal.abort(reason) })).toEqual({ kind: 'failed', error: reason });
    expect(begun).toBe(false);
  });

  it('is told to stop while it waits for a task, and does not wait for it', async () => {
    const stop = new AbortController();
    const reason = new Error('canceled');
    const graph = graphOf(async () => {
      await task('never', async () => {
        stop.abort(reason);
        await new Promise(() => {});
      })();
    });
    expect(await runNode(graph, way, { signal: stop.signal })).toEqual({ kind: 'failed', error: reason });
  });

  it('tells what it left running to stop when it fails', async () => {
    let signal: AbortSignal | undefined;
    const graph = graphOf(async (_state, config) => {
      signal = config.signal;
      throw new Error('one of several');
    });
    await runNode(graph, way);
    expect(signal?.aborted).toBe(true);
  });

  it('does not inherit from a graph that happens to be around it', async () => {
    let input: unknown;
    const inner = graphOf(async () => {
      input = getCurrentTaskInput();
      return {};
    });
    const outer = graphOf(async () => void (await runNode(inner, way)));
    await outer.invoke({ topic: 'outer' });
    expect(input).toEqual({ topic: 'x' });
  });

  it.each([
    ['callbacks of the graph', { callbacks: [{ handleChainStart: () => {} }] }],
    ['nothing else', {}],
  ])('is heard by %s', async (_name, config) => {
    const names: (string | undefined)[] = [];
    const heard = { handleChainStart: (...args: unknown[]) => void names.push(args[7] as string) };
    const graph = graphOf(async () => ({})).withConfig('callbacks' in config ? { callbacks: [heard] } : {});
    await runNode(graph, way);
    expect(names.includes('a')).toBe('callbacks' in config);
  });
});

/** Of a body that LangGraph ran with `durability: 'exit'`. */
const KEPT_BEFORE = String.raw`{"threadId":"18f83b7f-37c1-4bf0-8d26-77dfa71adf81","waits":1,"storage":{"18f83b7f-37c1-4bf0-8d26-77dfa71adf81":{"":{"1f1e3c04-ca3b-6860-ffff-7d4721ea9318":[{"$type":"bytes","base64":"eyJ2Ijo0LCJpZCI6IjFmMWUzYzA0LWNhM2ItNjg2MC1mZmZmLTdkNDcyMWVhOTMxOCIsInRzIjoiMjAyNi0xMS0xOVQwMjoyNDowOC40MzhaIiwiY2hhbm5lbF92YWx1ZXMiOnsiaW5wdXQiOnsidG9waWMiOiJ4In0sIl9fcHJlZ2VsX3Rhc2tzIjpbXX0sImNoYW5uZWxfdmVyc2lvbnMiOnsiaW5wdXQiOjF9LCJ2ZXJzaW9uc19zZWVuIjp7Il9faW5wdXRfXyI6e319fQ=="},{"$type":"bytes","base64":"eyJzb3VyY2UiOiJpbnB1dCIsInN0ZXAiOi0xLCJwYXJlbnRzIjp7fX0="},{"$type":"undefined"}]}}},"writes":{"[\"18f83b7f-37c1-4bf0-8d26-77dfa71adf81\",\"\",\"1f1e3c04-ca3b-6860-ffff-7d4721ea9318\"]":{"a30e8ad3-0978-5193-83a0-81ca670a503d,-3":["a30e8ad3-0978-5193-83a0-81ca670a503d","__interrupt__",{"$type":"bytes","base64":"eyJpZCI6IjM3Yjk0ODRmNTE5ZTc5Mzk2ZWFjNmUzY2ViZTcyOGRlIiwidmFsdWUiOiJvbmUifQ=="}]}}}`;
