import { AIMessage, HumanMessage, RemoveMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import {
  END,
  MessagesAnnotation,
  MessagesDeltaValue,
  MessagesValue,
  MessagesZodState,
  Overwrite,
  ReducedValue,
  START,
  StateGraph,
  StateSchema,
  UntrackedValue,
} from '@langchain/langgraph';
import { createReactAgent } from '@langchain/langgraph/prebuilt';
import { z } from 'zod';
import type { Exhibit } from './exhibit.for-spec.js';
import { ScriptedModel } from './scripted-model.for-spec.js';

const add = tool(async ({ a, b }: { a: number; b: number }) => String(a + b), {
  name: 'add',
  description: 'adds',
  schema: z.object({ a: z.number(), b: z.number() }),
});
const boom = tool(
  async () => {
    throw new Error('tool broke');
  },
  { name: 'boom', description: 'breaks', schema: z.object({}) },
);

const llm = new ScriptedModel();
const asked = { messages: [{ role: 'user', content: '1+2, 3+4' }] };

/** State of messages, which LangGraph gives random ids, and agents over it. */
export const messageGraphs: Record<string, Exhibit> = {
  'messages, some as plain objects, some removed': {
    input: { messages: [{ role: 'user', content: 'hi' }] },
    graph: new StateGraph(MessagesAnnotation)
      .addNode('m1', async () => ({
        messages: [new AIMessage('one'), { role: 'user', content: 'dict' } as unknown as HumanMessage],
      }))
      .addNode('trim', async ({ messages }) => ({
        messages: [new RemoveMessage({ id: messages[0]?.id ?? '' }), new AIMessage('after')],
      }))
      .addNode('m2', async ({ messages }) => ({
        messages: [new AIMessage(`saw ${messages.map((message) => message.constructor.name).join()}`)],
      }))
      .addEdge(START, 'm1')
      .addEdge('m1', 'trim')
      .addEdge('trim', 'm2')
      .compile(),
  },

  'messages that replace all others, without ids': {
    input: { messages: [{ role: 'user', content: 'hi' }] },
    graph: new StateGraph(MessagesAnnotation)
      .addNode('m1', async () => ({ messages: new Overwrite([new AIMessage('fresh')]) as unknown as AIMessage[] }))
      .addNode('m2', async () => ({ messages: [new AIMessage('next')] }))
      .addNode('m3', async () => ({ messages: [new AIMessage('last')] }))
      .addEdge(START, 'm1')
      .addEdge('m1', 'm2')
      .addEdge('m2', 'm3')
      .compile(),
  },

  'messages in zod state': {
    input: { messages: [{ role: 'user', content: 'hi' }] },
    graph: new StateGraph(MessagesZodState)
      .addNode('m1', async () => ({ messages: [new AIMessage('one')] }))
      .addNode('m2', async ({ messages }) => ({
        messages: [new RemoveMessage({ id: messages[0]?.id ?? '' }), new AIMessage(`saw ${messages.length}`)],
      }))
      .addEdge(START, 'm1')
      .addEdge('m1', 'm2')
      .compile(),
  },

  'messages and a sum in a state schema, written in parallel': {
    input: { messages: [{ role: 'user', content: 'hi' }] },
    graph: new StateGraph(
      new StateSchema({
        messages: MessagesValue,
        n: new ReducedValue(z.number().default(0), {
          inputSchema: z.number(),
          reducer: (left: number, right: number) => left + right,
        }),
        note: z.string().optional(),
      }),
    )
      .addNode('m1', async () => ({ messages: [new AIMessage('one'), new HumanMessage('two')], n: 2 }))
      .addNode('p', async ({ n }) => ({ messages: [new AIMessage(`p${n}`)], n: 1 }))
      .addNode('q', async () => ({ messages: [new AIMessage('q')], n: 1, note: 'x' }))
      .addNode('t', async ({ messages }) => ({
        messages: [new RemoveMessage({ id: messages[1]?.id ?? '' }), new AIMessage(`t${messages.length}`)],
      }))
      .addEdge(START, 'm1')
      .addEdge('m1', 'p')
      .addEdge('m1', 'q')
      .addEdge(['p', 'q'], 't')
      .compile(),
  },

  'messages in a delta channel': {
    input: { messages: [{ role: 'user', content: 'hi', id: 'h1' }] },
    graph: new StateGraph(new StateSchema({ messages: MessagesDeltaValue }))
      .addNode('m1', async () => ({ messages: [new AIMessage('one')] }))
      .addNode('p', async () => ({ messages: [new AIMessage('p')] }))
      .addNode('t', async ({ messages }) => ({
        messages: [new RemoveMessage({ id: messages[0]?.id ?? '' }), new AIMessage(`t${messages.length}`)],
      }))
      .addEdge(START, 'm1')
      .addEdge('m1', 'p')
      .addEdge('p', 't')
      .compile(),
  },

  'an untracked value': {
    input: { secret: 's' },
    graph: new StateGraph(
      new StateSchema({
        secret: new UntrackedValue(z.string().optional()),
        log: new ReducedValue(z.array(z.string()).default([]), {
          inputSchema: z.array(z.string()),
          reducer: (left: string[], right: string[]) => left.concat(right),
        }),
      }),
    )
      .addNode('a', async ({ secret }) => ({ log: [`a${secret}`] }))
      .addNode('b', async ({ secret }) => ({ log: [`b${secret}`] }))
      .addEdge(START, 'a')
      .addEdge('a', 'b')
      .compile(),
  },

  'a ReAct agent with all calls in one tool node': {
    input: asked,
    graph: createReactAgent({ llm, tools: [add, boom], version: 'v1' }),
  },

  'a ReAct agent with a Send for each call': {
    input: asked,
    graph: createReactAgent({ llm, tools: [add, boom], version: 'v2' }),
  },

  'an agent as a subgraph': {
    input: { messages: [{ role: 'user', content: 'x' }] },
    graph: new StateGraph(MessagesAnnotation)
      .addNode('pre', async () => ({ messages: [new HumanMessage('go')] }))
      .addNode('agent', createReactAgent({ llm, tools: [add, boom] }))
      .addNode('post', async ({ messages }) => ({ messages: [new AIMessage(`post ${messages.length}`)] }))
      .addEdge(START, 'pre')
      .addEdge('pre', 'agent')
      .addEdge('agent', 'post')
      .addEdge('post', END)
      .compile(),
  },
};
