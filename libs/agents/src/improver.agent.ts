import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
import { defineAgent, nodeContext, type AgentDefinition } from '@millrace/agent-sdk';
import type { LlmRequest } from '@millrace/ports';
import { z } from 'zod';
import { type ModelScript, writeScript } from './model-script.js';

export const IMPROVER_SCRIPT = 'scripted/improver';

const SYSTEM = `A run of an agent is about to be tried again. You are told what it was asked, what happened last, which errors
there were, and perhaps what its person wishes. Say in at most five short sentences what the next run should do otherwise.`;

/** What is known of the run that is to be done better: few words, whatever its size (see RunImprovement). */
const ImproverInput = z.looseObject({
  agent: z.string(),
  status: z.string(),
  summary: z.string(),
  recentErrors: z.array(z.looseObject({ message: z.string(), node: z.string().optional() })),
  note: z.string().optional(),
});

const ImproverState = Annotation.Root({ told: Annotation<string[]>, text: Annotation<string> });

/** Reads what went wrong in a run and says what to do better; its text is handed to the run that takes its place. */
export const createImprover = ({ model = IMPROVER_SCRIPT }: { model?: string | undefined } = {}): AgentDefinition =>
  defineAgent({
    ...{ id: 'improver', version: '1', title: 'Improver', inputSchema: ImproverInput },
    description: 'Reads what went wrong in a run and says what the next one should do better.',
    graph: new StateGraph(ImproverState)
      .addNode('advise', async ({ told }) => {
        const context = nodeContext();
        const content = told.map((text) => ({ type: 'text', text }) as const);
        const { text } = await context.llm({ model, system: SYSTEM, messages: [{ role: 'user', content }] });
        context.message(text);
        return { text };
      })
      .addEdge(START, 'advise')
      .addEdge('advise', END)
      .compile(),
    toState: (input) => ({ told: toldOf(ImproverInput.parse(input)) }),
    toOutput: (state) => ({ text: z.object({ text: z.string() }).parse(state).text }),
  });

const ERROR = 'Error: ';
const WISH = 'Wish: ';

const toldOf = ({ agent, status, summary, recentErrors, note }: z.infer<typeof ImproverInput>): string[] => [
  `Agent ${agent}, ${status}. ${summary}`,
  ...recentErrors.map(({ node, message }) => `${ERROR}${node === undefined ? '' : `${node}: `}${message}`),
  ...(note === undefined ? [] : [`${WISH}${note}`]),
];

/** Without a model, the last error and the wish are passed on as they are. */
export const improverScript = (request: LlmRequest): ModelScript =>
  writeScript(request, ({ attached }) => {
    const lastError = attached.findLast((line) => line.startsWith(ERROR))?.slice(ERROR.length);
    const wish = attached.find((line) => line.startsWith(WISH))?.slice(WISH.length);
    return [
      lastError === undefined ? 'Nothing went wrong last time.' : `Last time this went wrong: ${lastError}`,
      ...(wish === undefined ? [] : [`\nThe person asks: ${wish}`]),
    ];
  });
