// A module that is as the process is told: whole, broken, without an agent, or with one under another name.
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
import { defineAgent, nodeContext } from '@millrace/agent-sdk';

const { BREAKABLE = 'whole' } = process.env;

if (BREAKABLE === 'broken') throw new TypeError('the module cannot be loaded today');

const State = Annotation.Root({ name: Annotation() });

const ask = async () => {
  const { text } = await nodeContext().suspend({ type: 'waitForInput', prompt: 'Who are you?' });
  return { name: text };
};

const asking = (options = {}) =>
  new StateGraph(State).addNode('ask', ask).addEdge(START, 'ask').addEdge('ask', END).compile(options);

const toOutput = ({ name }) => ({ text: `hello ${name}` });

const greeter = { id: BREAKABLE === 'renamed' ? 'welcomer' : 'greeter', version: '1', toOutput };

/** In that process it cannot be played from a log: its graph has a breakpoint. */
const odd = BREAKABLE === 'renamed' ? asking({ interruptBefore: ['ask'] }) : asking();

/** Begins something that fails, and does not wait for it. */
const careless = new StateGraph(State)
  .addNode('forget', async () => {
    void Promise.reject(new Error('nobody waits for this'));
    return { name: 'Ada' };
  })
  .addEdge(START, 'forget')
  .addEdge('forget', END)
  .compile();

export const agents = [
  defineAgent({ id: 'careless', version: '1', graph: careless, toOutput }),
  ...(BREAKABLE === 'removed' ? [] : [defineAgent({ ...greeter, graph: asking() })]),
  defineAgent({ id: 'odd', version: '1', graph: odd, toOutput }),
];
