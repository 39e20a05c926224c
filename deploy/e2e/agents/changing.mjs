// Agents whose surroundings change while their runs wait: a deadline passes, a version goes, a router changes its mind.
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
import { defineAgent, InputExpired, nodeContext } from '@millrace/agent-sdk';

const State = Annotation.Root({ expiresInMs: Annotation(), name: Annotation() });

const ask = async ({ expiresInMs }) => {
  const { text } = await nodeContext().suspend({ type: 'waitForInput', prompt: 'Who are you?' }, { expiresInMs });
  return { name: text };
};

const asking = (node) => new StateGraph(State).addNode('ask', node).addEdge(START, 'ask').addEdge('ask', END).compile();

const toOutput = ({ name }) => ({ text: `hello ${name}` });

/** Goes on without an answer when none comes in time. */
const patient = defineAgent({
  id: 'patient',
  version: '1',
  graph: asking(async (state) => {
    try {
      return await ask(state);
    } catch (error) {
      if (error instanceof InputExpired) return { name: 'nobody' };
      throw error;
    }
  }),
  toOutput,
});

/** Needs the answer. */
const strict = defineAgent({ id: 'strict', version: '1', graph: asking(ask), toOutput });

/** The way it takes is the process's, not the state's: what a graph must not do. */
const fickle = defineAgent({
  id: 'fickle',
  version: '1',
  graph: new StateGraph(State)
    .addNode('look', async () => ({}))
    .addNode('left', ask)
    .addNode('right', ask)
    .addEdge(START, 'look')
    .addConditionalEdges('look', () => process.env.FICKLE_WAY, ['left', 'right'])
    .addEdge('left', END)
    .addEdge('right', END)
    .compile(),
  toOutput,
});

/** The same agent, as it was and as it became. */
const smith = (version) =>
  defineAgent({ id: 'smith', version, graph: asking(ask), toOutput: ({ name }) => ({ text: `${version}: ${name}` }) });

const smiths = (process.env.SMITH_VERSIONS ?? '1').split(' ').map(smith);

export const agents = [patient, strict, fickle, ...smiths];
