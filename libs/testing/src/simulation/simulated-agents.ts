import { type AgentDefinition, AgentRegistry, InputExpired, type NodeContext } from '@millrace/agent-sdk';
import { type LlmChunk, LlmFailed, LlmPort } from '@millrace/ports';
import type { SeededRandom } from '@millrace/adapter-memory';
import type { Ledger } from './ledger.js';
import type { StepBody, StepsPlan } from './steps-graph.js';

/** What bodies, tools and models of one worker have of the world. */
export interface Hands {
  readonly ledger: Ledger;
  readonly random: SeededRandom;
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** How a run of the agent ends when nobody cancels it or declares it done. */
export type Ending = 'RunFinished' | 'RunFailed' | 'either';

export interface SimulatedAgent {
  readonly plan: (hands: Hands) => StepsPlan;
  readonly ends: Ending;
  /** The text of its output, when it finishes. */
  readonly says?: string;
}

const work =
  (hands: Hands, text: string, mostMs = 400): StepBody =>
  async ({ signal }) => {
    hands.ledger.did('body');
    await hands.pause(hands.random.below(mostMs), signal);
    return text;
  };

const tool = (context: NodeContext, name = 'add') => context.tool(name, { a: 1 });
const ask = (context: NodeContext, expiresInMs?: number) =>
  context.suspend({ type: 'waitForInput', prompt: 'Who?' }, expiresInMs === undefined ? {} : { expiresInMs });

/** One for each thing runs do: steps alone and together, models, tools, waits, deadlines, failures. */
export const AGENTS: Readonly<Record<string, SimulatedAgent>> = {
  chain: {
    ends: 'RunFinished',
    says: 'a hello 2 done',
    plan: (hands) => ({
      steps: [['a'], ['think'], ['count'], ['end']],
      bodies: {
        a: work(hands, 'a'),
        think: async (context) => {
          hands.ledger.did('body');
          context.log('info', 'thinking');
          const { text } = await context.llm({ model: 'm', messages: [{ role: 'user', content: 'hi' }] });
          context.message(text);
          return text;
        },
        count: async (context) => {
          hands.ledger.did('body');
          const sum = await tool(context);
          await context.step('stamp', () => hands.ledger.did('effect'));
          await hands.pause(hands.random.below(300), context.signal);
          return sum;
        },
        end: work(hands, 'done', 50),
      },
    }),
  },
  long: {
    ends: 'RunFinished',
    says: 'x x x x x x',
    plan: (hands) => ({ steps: [['x'], ['x'], ['x'], ['x'], ['x'], ['x']], bodies: { x: work(hands, 'x', 3_000) } }),
  },
  fan: {
    ends: 'RunFinished',
    says: 'a 2 b c d e f end',
    plan: (hands) => ({
      steps: [['a'], ['t', 'b', 'c', 'd'], ['e', 'f'], ['end']],
      bodies: {
        a: work(hands, 'a'),
        t: async (context) => {
          hands.ledger.did('body');
          return tool(context, 'flaky');
        },
        ...Object.fromEntries(['b', 'c', 'd', 'e', 'f'].map((name) => [name, work(hands, name, 1_500)])),
        end: work(hands, 'end'),
      },
      retry: { maxAttempts: 30, firstDelayMs: 100, maxDelayMs: 1_000 },
    }),
  },
  asks: {
    ends: 'RunFinished',
    says: 'hi ada ada done 2',
    plan: (hands) => ({
      steps: [['greet'], ['approve']],
      bodies: {
        greet: async (context) => {
          hands.ledger.did('body');
          await context.step('prepare', () => hands.ledger.did('effect'));
          const { text: first } = await ask(context);
          const { text: second } = await ask(context);
          return `hi ${first} ${second} done`;
        },
        approve: async (context) => {
          hands.ledger.did('body');
          return tool(context, 'guarded');
        },
      },
    }),
  },
  asksTogether: {
    ends: 'RunFinished',
    says: 'ada ada b end',
    plan: (hands) => {
      const asking: StepBody = async (context) => {
        hands.ledger.did('body');
        await hands.pause(hands.random.below(300), context.signal);
        return (await ask(context)).text;
      };
      return {
        steps: [['one', 'other', 'b'], ['end']],
        bodies: { one: asking, other: asking, b: work(hands, 'b', 2_000), end: work(hands, 'end') },
      };
    },
  },
  deadline: {
    ends: 'either',
    plan: (hands) => ({
      steps: [['ask'], ['end']],
      bodies: {
        ask: async (context) => {
          hands.ledger.did('body');
          try {
            return (await ask(context, 3_000)).text;
          } catch (error) {
            if (error instanceof InputExpired) return 'nobody';
            throw error;
          }
        },
        end: work(hands, 'end'),
      },
    }),
  },
  flaky: {
    ends: 'either',
    plan: (hands) => ({
      steps: [['one'], ['two']],
      bodies: {
        one: async (context) => {
          hands.ledger.did('body');
          const { text } = await context.llm({ model: 'flaky', messages: [] });
          return `${text} ${String(await tool(context, 'flaky'))}`;
        },
        two: work(hands, 'two'),
      },
    }),
  },
  broken: {
    ends: 'RunFailed',
    plan: (hands) => ({
      steps: [['a'], ['bad', 'b'], ['never']],
      bodies: {
        a: work(hands, 'a'),
        b: work(hands, 'b', 2_000),
        bad: async () => {
          hands.ledger.did('body');
          throw new Error('it is broken');
        },
        never: work(hands, 'never'),
      },
    }),
  },
  improver: {
    ends: 'RunFinished',
    says: 'do better',
    plan: (hands) => ({ steps: [['advise']], bodies: { advise: work(hands, 'do better') } }),
  },
};

export const registryOf = ({ ledger, random, pause }: Hands): AgentRegistry => {
  const add = (failsOneIn?: number) => async () => {
    ledger.did('tool');
    await pause(random.below(200), new AbortController().signal);
    if (failsOneIn !== undefined && random.below(failsOneIn) === 0) throw new Error('busy');
    return 2;
  };
  const tools = {
    add: { run: add() },
    flaky: { run: add(3) },
    guarded: { run: add(), needsApproval: true },
  };
  const graph = { nodes: {}, invoke: async () => ({}) };
  return new AgentRegistry(
    Object.keys(AGENTS).map((id) => ({ id, version: '1', graph, tools }) satisfies AgentDefinition),
  );
};

export class SimulatedLlm extends LlmPort {
  constructor(private readonly hands: Hands) {
    super();
  }

  async *stream({ model }: { readonly model: string }, signal: AbortSignal): AsyncGenerator<LlmChunk> {
    const { ledger, random, pause } = this.hands;
    ledger.did('model');
    for (const text of ['hel', 'lo']) {
      await pause(random.below(200), signal);
      if (signal.aborted) throw new LlmFailed('stopped', 'retry');
      yield { type: 'text', text };
      if (model === 'flaky' && random.below(4) === 0) throw new LlmFailed('overloaded', 'retry');
    }
    yield { type: 'end', stopReason: 'end_turn', usage: { inputTokens: 2, outputTokens: 3 } };
  }
}
