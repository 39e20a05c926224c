import { AIMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { interrupt, MemorySaver, MessagesAnnotation, START, StateGraph, task } from '@langchain/langgraph';
import { ToolNode } from '@langchain/langgraph/prebuilt';
import { z } from 'zod';
import { aNode, type Exhibit, Log, type LogState } from './exhibit.for-spec.js';

const checkpointer = () => new MemorySaver();
const answer = (question: unknown) => `<${String(question)}>`;

const asking = (name: string) => async () => ({ log: [`${name} heard ${String(interrupt(`${name}?`))}`], n: 1 });

const innerAsking = new StateGraph(Log)
  .addNode('i1', aNode('i1'))
  .addNode('i2', asking('i2'))
  .addEdge(START, 'i1')
  .addEdge('i1', 'i2')
  .compile();

const twoAsking = new StateGraph(Log)
  .addNode('left', asking('left'))
  .addNode('right', asking('right'))
  .addEdge(START, 'left')
  .addEdge(START, 'right')
  .compile();

const roll = task('roll', async (sides: number) => sides * 2);

const confirm = tool(async ({ what }: { what: string }) => `confirmed: ${String(interrupt(what))}`, {
  name: 'confirm',
  description: 'asks a person',
  schema: z.object({ what: z.string() }),
});

/** Bodies that ask people. */
export const waitingGraphs: Record<string, Exhibit> = {
  'a node that asks once, beside one that does not': {
    input: { log: [] },
    answer,
    graph: new StateGraph(Log)
      .addNode('asks', asking('asks'))
      .addNode('beside', aNode('beside'))
      .addNode('z', aNode('z'))
      .addEdge(START, 'asks')
      .addEdge(START, 'beside')
      .addEdge(['asks', 'beside'], 'z')
      .compile({ checkpointer: checkpointer() }),
  },

  'a node that asks several times and is given falsy answers': {
    input: { log: [] },
    answer: (question) => ({ one: false, two: null, three: 0, four: '' })[String(question)],
    graph: new StateGraph(Log)
      .addNode('asks', async () => {
        const answers = ['one', 'two', 'three', 'four'].map((question) => interrupt<string, unknown>(question));
        return { log: [JSON.stringify(answers)], n: 1 };
      })
      .addEdge(START, 'asks')
      .compile({ checkpointer: checkpointer() }),
  },

  'a subgraph whose node asks': {
    input: { log: [] },
    answer,
    graph: new StateGraph(Log)
      .addNode('sub', innerAsking)
      .addNode('z', aNode('z'))
      .addEdge(START, 'sub')
      .addEdge('sub', 'z')
      .compile({ checkpointer: checkpointer() }),
  },

  'a graph called in a node whose nodes ask at once': {
    input: { log: [] },
    answer,
    graph: new StateGraph(Log)
      .addNode('calls', async (state: LogState) => ({
        log: (await twoAsking.invoke(state)).log.slice(state.log.length),
      }))
      .addEdge(START, 'calls')
      .compile({ checkpointer: checkpointer() }),
  },

  'a node with a durable task before its question': {
    input: { log: [] },
    answer,
    graph: new StateGraph(Log)
      .addNode('rolls', async () => {
        const rolled = await roll(6);
        return { log: [String(interrupt(`rolled ${rolled}`))], n: 1 };
      })
      .addEdge(START, 'rolls')
      .compile({ checkpointer: checkpointer() }),
  },

  'a tool that asks': {
    input: { messages: [] },
    answer,
    graph: new StateGraph(MessagesAnnotation)
      .addNode('model', async () => ({
        messages: [
          new AIMessage({
            content: '',
            tool_calls: [{ id: 't1', name: 'confirm', args: { what: 'sure?' }, type: 'tool_call' }],
          }),
        ],
      }))
      .addNode('tools', new ToolNode([confirm]))
      .addEdge(START, 'model')
      .addEdge('model', 'tools')
      .compile({ checkpointer: checkpointer() }),
  },
};
