import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
import { defineAgent, nodeContext } from '@millrace/agent-sdk';
import { z } from 'zod';
import { speak } from './speak.js';

const EchoInput = z.looseObject({ text: z.string() });
const EchoState = Annotation.Root({ text: Annotation<string> });

const graph = new StateGraph(EchoState)
  .addNode('echo', async ({ text }) => {
    const context = nodeContext();
    await speak(context, wordsIn(text));
    context.message(text);
    return { text };
  })
  .addEdge(START, 'echo')
  .addEdge('echo', END)
  .compile();

/** Says back what it is told, word by word. */
export const echo = defineAgent({
  id: 'echo',
  version: '1',
  title: 'Echo',
  description: 'Says back what it is told, word by word.',
  conversational: true,
  graph,
  inputSchema: EchoInput,
  toState: (input) => ({ text: EchoInput.parse(input).text }),
});

/** Each word with the space after it: together they are the text again. */
const wordsIn = (text: string): string[] => (text === '' ? [] : text.split(/(?<=\s)(?=\S)/));
