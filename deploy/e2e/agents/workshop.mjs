// An agent as a user would bring it: a plain LangGraph graph whose nodes think, use a tool, ask and report.
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
import { defineAgent, defineTool, nodeContext } from '@millrace/agent-sdk';
import { scriptedModel } from '@millrace/adapter-llm-scripted';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const State = Annotation.Root({
  ledger: Annotation(),
  plan: Annotation(),
  part: Annotation(),
  name: Annotation(),
});

const note = (file, line) => appendFile(join(process.env.MILLRACE_LEDGER_DIR, file), `${line}\n`);

const says = [{ type: 'thought', text: 'Let me see.' }, 'one two three four five six seven eight'];
const model = scriptedModel({ turns: [{ says, tokensPerSecond: 10 }] });

const graph = new StateGraph(State)
  .addNode('think', async ({ ledger }) => {
    const { text } = await nodeContext().llm({ model, messages: [{ role: 'user', content: 'What now?' }] });
    await nodeContext().step('noted', () => note(ledger, 'thought'));
    return { plan: text };
  })
  .addNode('make', async ({ ledger }) => ({ part: await nodeContext().tool('lathe', { ledger }) }))
  .addNode('ask', async () => {
    const { text } = await nodeContext().suspend({ type: 'waitForInput', prompt: 'Whose is it?' });
    return { name: text };
  })
  .addNode('report', async ({ ledger }) => {
    await nodeContext().step('noted', () => note(ledger, 'reported'));
    return {};
  })
  .addEdge(START, 'think')
  .addEdge('think', 'make')
  .addEdge('make', 'ask')
  .addEdge('ask', 'report')
  .addEdge('report', END)
  .compile();

const lathe = defineTool({
  async run({ ledger }, { idempotencyKey, signal }) {
    await pause(1_500, undefined, { signal });
    await note(ledger, `made ${idempotencyKey}`);
    return 'a wheel';
  },
});

export default defineAgent({
  id: 'workshop',
  version: '1',
  graph,
  tools: { lathe },
  toOutput: ({ plan, part, name }) => ({ text: `${plan}: ${part} for ${name}` }),
});
