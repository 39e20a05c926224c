// Graphs in the style of LangGraph's own documentation, unchanged: nothing in them knows of the platform.
import { AIMessage, HumanMessage } from '@langchain/core/messages';
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { tool } from '@langchain/core/tools';
import { Annotation, END, interrupt, MessagesAnnotation, Send, START, StateGraph } from '@langchain/langgraph';
import { createReactAgent } from '@langchain/langgraph/prebuilt';
import { defineAgent } from '@millrace/agent-sdk';
import { z } from 'zod';

/** A model that calls both tools and then adds up what they said: it needs no vendor and always says the same. */
class ArithmeticModel extends BaseChatModel {
  _llmType() {
    return 'arithmetic';
  }

  bindTools() {
    return this;
  }

  async _generate(messages) {
    const results = messages.filter((message) => message.getType() === 'tool').map(({ content }) => Number(content));
    const message =
      results.length === 0
        ? new AIMessage({
            content: '',
            tool_calls: [
              { id: 'a', name: 'add', args: { a: 2, b: 3 } },
              { id: 'b', name: 'multiply', args: { a: 4, b: 5 } },
            ],
          })
        : new AIMessage(`The results are ${results.join(' and ')}.`);
    return { generations: [{ text: String(message.content), message }] };
  }
}

const numbers = z.object({ a: z.number(), b: z.number() });
const add = tool(async ({ a, b }) => String(a + b), { name: 'add', description: 'Adds', schema: numbers });
const multiply = tool(async ({ a, b }) => String(a * b), {
  name: 'multiply',
  description: 'Multiplies',
  schema: numbers,
});

export const react = createReactAgent({ llm: new ArithmeticModel({}), tools: [add, multiply] });

const Jokes = Annotation.Root({
  topic: Annotation(),
  subjects: Annotation(),
  jokes: Annotation({ reducer: (left, right) => left.concat(right), default: () => [] }),
  best: Annotation(),
});
export const mapReduce = new StateGraph(Jokes)
  .addNode('plan', async ({ topic }) => ({
    subjects: ['lions', 'mice', 'penguins'].map((name) => `${topic}: ${name}`),
  }))
  .addNode('joke', async ({ subject }) => ({ jokes: [`a joke about ${subject}`] }))
  .addNode('choose', async ({ jokes }) => ({ best: [...jokes].sort()[0] }))
  .addEdge(START, 'plan')
  .addConditionalEdges('plan', ({ subjects }) => subjects.map((subject) => new Send('joke', { subject })))
  .addEdge('joke', 'choose')
  .addEdge('choose', END)
  .compile();

const Review = Annotation.Root({ draft: Annotation(), verdict: Annotation(), published: Annotation() });
export const review = (checkpointer) =>
  new StateGraph(Review)
    .addNode('write', async () => ({ draft: 'a draft' }))
    .addNode('ask', async ({ draft }) => ({ verdict: interrupt({ question: 'Publish?', draft }) }))
    .addNode('publish', async ({ draft, verdict }) => ({ published: verdict === 'yes' ? draft : null }))
    .addEdge(START, 'write')
    .addEdge('write', 'ask')
    .addEdge('ask', 'publish')
    .addEdge('publish', END)
    .compile(checkpointer ? { checkpointer } : {});

const polite = new StateGraph(MessagesAnnotation)
  .addNode('greet', async () => ({ messages: [new AIMessage('Hello!')] }))
  .addNode('thank', async () => ({ messages: [new AIMessage('Thank you.')] }))
  .addEdge(START, 'greet')
  .addEdge('greet', 'thank')
  .addEdge('thank', END)
  .compile();
export const withSubgraph = new StateGraph(MessagesAnnotation)
  .addNode('polite', polite)
  .addNode('leave', async ({ messages }) => ({
    messages: [new AIMessage(`Goodbye after ${messages.length} messages.`)],
  }))
  .addEdge(START, 'polite')
  .addEdge('polite', 'leave')
  .addEdge('leave', END)
  .compile();

export const question = { messages: [new HumanMessage({ content: 'What is 2 + 3, and 4 * 5?', id: 'q' })] };
const texts = ({ messages }) => ({ texts: messages.map((message) => [message.getType(), message.content]) });
const asQuestion = () => question;

export const agents = [
  defineAgent({ id: 'react', version: '1', graph: react, toState: asQuestion, toOutput: texts }),
  defineAgent({ id: 'map-reduce', version: '1', graph: mapReduce }),
  defineAgent({ id: 'review', version: '1', graph: review() }),
  defineAgent({ id: 'subgraph', version: '1', graph: withSubgraph, toState: asQuestion, toOutput: texts }),
];
export const textsOf = texts;
