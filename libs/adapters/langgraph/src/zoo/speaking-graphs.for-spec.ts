import { RunnableLambda } from '@langchain/core/runnables';
import {
  Command,
  entrypoint,
  getConfig,
  getCurrentTaskInput,
  getStore,
  getWriter,
  InMemoryStore,
  interrupt,
  type LangGraphRunnableConfig,
  MemorySaver,
  Send,
  START,
  StateGraph,
  task,
} from '@langchain/langgraph';
import { aNode, type Exhibit, Log, type LogState } from './exhibit.for-spec.js';
import { ScriptedModel } from './scripted-model.for-spec.js';

const checkpointer = () => new MemorySaver();
const answer = (question: unknown) => `<${String(question)}>`;
const ask = (question: string): string => interrupt<string, string>(question);

const roll = task('roll', async (sides: number) => sides * 2);
const rollAndAsk = task('rollAndAsk', async (sides: number) => `${sides} ${ask(`rolled ${sides}?`)}`);
const askTwice = entrypoint(
  'askTwice',
  async (topic: string) => `${await roll(3)} ${ask(`${topic}?`)} ${ask('sure?')}`,
);

const asksInside = new StateGraph(Log)
  .addNode('inside', async ({ n }: LogState) => ({ log: [ask(`inside ${n}?`)], n: 1 }))
  .addEdge(START, 'inside')
  .compile();

const logOf = async (graph: typeof asksInside, n: number, config?: LangGraphRunnableConfig): Promise<string[]> =>
  (await graph.invoke({ log: [], n }, config)).log;

/** Bodies that use what LangGraph gives them beside their input. */
export const speakingGraphs: Record<string, Exhibit> = {
  'a body that looks at its config': {
    input: { log: [], topic: 't' },
    graph: new StateGraph(Log)
      .addNode(
        'looks',
        async (_state: LogState, config: LangGraphRunnableConfig) => {
          const { metadata, configurable } = getConfig();
          const { topic } = getCurrentTaskInput<LogState>();
          getWriter()?.({ said: topic });
          config.writer?.({ said: 'again' });
          await new ScriptedModel().invoke('hello');
          await config.store?.put(['kept'], 'topic', { topic });
          const seen = [metadata?.['langgraph_node'], metadata?.['kind'], metadata?.['team'], configurable?.['style']];
          return { log: [`${seen.join()} ${config.recursionLimit} ${config.tags?.join()}`], n: 1 };
        },
        { metadata: { kind: 'looker' } },
      )
      .addNode('finds', async () => {
        const kept = await getStore()?.get(['kept'], 'topic');
        return { log: [JSON.stringify(kept?.value)], n: 1 };
      })
      .addEdge(START, 'looks')
      .addEdge('looks', 'finds')
      .compile({ store: new InMemoryStore() })
      .withConfig({ configurable: { style: 'brief' }, metadata: { team: 'red' }, tags: ['tagged'], recursionLimit: 9 }),
  },

  'a body that asks before and after a task, and goes on by a Command': {
    input: { log: [] },
    answer,
    graph: new StateGraph(Log)
      .addNode(
        'asks',
        async () => {
          const first = ask('first');
          const rolled = await roll(4);
          return new Command({ update: { log: [first, ask(`second ${rolled}`)] }, goto: 'b' });
        },
        { ends: ['b'] },
      )
      .addNode('b', aNode('b'))
      .addEdge(START, 'asks')
      .compile({ checkpointer: checkpointer() }),
  },

  'tasks at once, and one that nobody waits for': {
    input: { log: [] },
    graph: new StateGraph(Log)
      .addNode('rolls', async () => {
        const rolled = await Promise.all([roll(1), roll(2), roll(3)]);
        void roll(4);
        return { log: [rolled.join()], n: 1 };
      })
      .addEdge(START, 'rolls')
      .compile(),
  },

  'a task that asks': {
    input: { log: [] },
    answer,
    graph: new StateGraph(Log)
      .addNode('rolls', async () => ({ log: [await rollAndAsk(6)], n: 1 }))
      .addEdge(START, 'rolls')
      .compile({ checkpointer: checkpointer() }),
  },

  'a graph that asks, called in a node once with its config and once without': {
    input: { log: [] },
    answer,
    graph: new StateGraph(Log)
      .addNode('calls', async (_state: LogState, config: LangGraphRunnableConfig) => {
        const first = await logOf(asksInside, 1, config);
        return { log: [...first, ...(await logOf(asksInside, 2))], n: 1 };
      })
      .addEdge(START, 'calls')
      .compile({ checkpointer: checkpointer() }),
  },

  'a graph that asks, called in a node behind a question of its own': {
    input: { log: [] },
    answer,
    graph: new StateGraph(Log)
      .addNode('calls', async () => {
        const own = ask('own?');
        return { log: [own, ...(await logOf(asksInside, 1))], n: 1 };
      })
      .addEdge(START, 'calls')
      .compile({ checkpointer: checkpointer() }),
  },

  'an entrypoint called in a node': {
    input: { log: [], topic: 'tea' },
    answer,
    graph: new StateGraph(Log)
      .addNode('calls', async ({ topic }: LogState) => ({ log: [await askTwice.invoke(topic)], n: 1 }))
      .addEdge(START, 'calls')
      .compile({ checkpointer: checkpointer() }),
  },

  'Sends to a body that asks': {
    input: { log: [] },
    answer,
    graph: new StateGraph(Log)
      .addNode('p', aNode('p'))
      .addNode('asks', async ({ i }: { i: number }) => ({
        log: [`${i} ${ask(`${i}?`)} ${getCurrentTaskInput<{ i: number }>().i}`],
      }))
      .addEdge(START, 'p')
      .addConditionalEdges('p', () => [0, 1].map((i) => new Send('asks', { i })))
      .compile({ checkpointer: checkpointer() }),
  },

  'a chain of runnables that asks': {
    input: { log: [], topic: 'x' },
    answer,
    graph: new StateGraph(Log)
      .addNode(
        'chain',
        RunnableLambda.from(({ topic }: LogState) => ask(`${topic}?`)).pipe((said: string) => ({ log: [said], n: 1 })),
      )
      .addEdge(START, 'chain')
      .compile({ checkpointer: checkpointer() }),
  },

  'a body that takes the question of another for an error': {
    input: { log: [] },
    answer,
    graph: new StateGraph(Log)
      .addNode('retries', async () => {
        try {
          return { log: [ask('one?')], n: 1 };
        } catch {
          return { log: [ask('two?')], n: 1 };
        }
      })
      .addEdge(START, 'retries')
      .compile({ checkpointer: checkpointer() }),
  },
};
