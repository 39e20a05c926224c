// An agent that leaves one of everything that is kept of a run: thoughts, words, tools, a handover, log lines, a question.
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
import { defineAgent, defineTool, nodeContext } from '@millrace/agent-sdk';
import { scriptedModel } from '@millrace/adapter-llm-scripted';

const says = [{ type: 'thought', text: 'They want to know. ' }, 'I will look it up. '];
const model = scriptedModel({ turns: [{ says }] });

const testify = async () => {
  const context = nodeContext();
  context.log('info', 'sworn in', { oath: true });
  context.progress('half way', 0.5);
  const { text } = await context.llm({ model, messages: [{ role: 'user', content: 'What did you see?' }] });
  const found = await context.tool('search', { query: 'mill' });
  await context.tool('forget', {}).catch(() => {}); // the failure is kept, the testimony goes on
  await context.tool('transfer_to_critic', { because: 'to be sure' });
  context.changeAgent('critic');
  context.message(`${text}${found}`);
  const { text: name } = await context.suspend({ type: 'waitForInput', prompt: 'Who asks?' });
  return { name };
};

const tools = {
  search: defineTool({
    run: async ({ query }, { log, progress }) => {
      log('warn', 'the index is old', { query });
      progress('reading');
      return 'a mill';
    },
  }),
  forget: defineTool({ run: () => Promise.reject(new Error('it was never known')) }),
  transfer_to_critic: defineTool({ run: async () => 'moved' }),
};

const graph = new StateGraph(Annotation.Root({ name: Annotation() }))
  .addNode('testify', testify)
  .addEdge(START, 'testify')
  .addEdge('testify', END)
  .compile();

export default defineAgent({
  id: 'witness',
  version: '1',
  graph,
  tools,
  toOutput: ({ name }) => ({ text: `told ${name}`, sources: ['memory'] }),
});
