import { Annotation, END, Send, START, StateGraph } from '@langchain/langgraph';
import {
  defineAgent,
  nodeContext,
  type AgentDefinition,
  type NodeContext,
  type ToolDefinition,
} from '@millrace/agent-sdk';
import type { LlmContent, LlmMessage, LlmTool } from '@millrace/ports';
import { z } from 'zod';
import { AttachedFile, describeFile, Said } from './files.js';
import { faultOf, isToolFault } from './tool-fault.js';

export interface FunctionLoop {
  readonly id: string;
  readonly version: string;
  readonly title?: string;
  readonly description?: string;
  readonly model: string;
  /** Who the model is and what it is there for. */
  readonly system: string;
  /** What it may call. A function may ask the client (suspend), once: each call is a node of its own. */
  readonly functions: Readonly<Record<string, ToolDefinition>>;
}

type Call = Extract<LlmContent, { type: 'toolCall' }>;
type Result = Omit<Extract<LlmContent, { type: 'toolResult' }>, 'type'>;

const appended = <T>() => ({ reducer: (before: T[], said: T[]) => [...before, ...said], default: (): T[] => [] });

const LoopState = Annotation.Root({
  turns: Annotation<LlmMessage[]>(appended<LlmMessage>()),
  /** What the model called in its last turn. */
  calls: Annotation<Call[]>({ reducer: (_before, said) => said, default: () => [] }),
  results: Annotation<Result[]>(appended<Result>()),
  text: Annotation<string>({ reducer: (_before, said) => said, default: () => '' }),
  /** What a retry should do better. */
  improvement: Annotation<string>({ reducer: (_before, said) => said, default: () => '' }),
});
type State = typeof LoopState.State;

/** Models that never come to an end are stopped here: a turn and its calls are two supersteps. */
const MOST_TURNS = 50;

/** An agent that is a model, what it may call, and nothing else: it thinks, calls, and thinks again until it is done. */
export const createFunctionLoop = (loop: FunctionLoop): AgentDefinition =>
  defineAgent({
    ...{ id: loop.id, version: loop.version, title: loop.title, description: loop.description },
    ...{ conversational: true, tools: loop.functions },
    graph: new StateGraph(LoopState)
      .addNode('think', (state: State) => think(loop, state))
      .addNode('call', ({ call }: { call: Call }) => answer(call, nodeContext()))
      .addEdge(START, 'think')
      .addConditionalEdges('think', calledOrDone, ['call', END])
      .addEdge('call', 'think')
      .compile(),
    inputSchema: Said,
    toState: (input, _seedState, improvement = '') => ({
      ...{ turns: [{ role: 'user', content: wordsOf(Said.parse(input)) }], improvement },
    }),
    toOutput: (state) => {
      const { text, results } = FinalState.parse(state);
      const files = results.flatMap(({ output }) => filesIn(output));
      return { text, ...(files.length > 0 ? { files } : {}) };
    },
    recursionLimit: 2 * MOST_TURNS,
  });

const think = async (loop: FunctionLoop, { turns, calls, results, improvement }: State) => {
  const context = nodeContext();
  const { model, functions } = loop;
  const system = improvement === '' ? loop.system : `${loop.system}\n\nWhat to do better this time:\n${improvement}`;
  const heard: LlmMessage[] =
    calls.length === 0 ? [] : [{ role: 'user', content: calls.map((call) => resultFor(call, results)) }];
  const { text, toolCalls } = await context.llm({
    ...{ model, system, messages: [...turns, ...heard], tools: offered(functions) },
  });
  if (text !== '') context.message(text);
  const said: LlmContent[] = [...(text === '' ? [] : [{ type: 'text', text } as const]), ...toolCalls];
  return { turns: [...heard, { role: 'assistant', content: said }], calls: [...toolCalls], text };
};

/** Calls of one turn run beside each other, each with a journal of its own. */
const calledOrDone = ({ calls }: State): Send[] | typeof END =>
  calls.length === 0 ? END : calls.map((call) => new Send('call', { call }));

/** What goes wrong in a function is for the model to hear, who may have called it wrongly or know another way. */
const answer = async (call: Call, context: NodeContext): Promise<{ results: Result[] }> => {
  try {
    return { results: [{ id: call.id, output: (await context.tool(call.name, call.input)) ?? null }] };
  } catch (error) {
    if (!isToolFault(error, context)) throw error;
    return {
      results: [{ id: call.id, output: faultOf(error), isError: true }],
    };
  }
};

const offered = (functions: FunctionLoop['functions']): LlmTool[] =>
  Object.entries(functions).map(([name, { description, inputSchema = z.unknown() }]) => ({
    ...{ name, inputSchema: z.toJSONSchema(inputSchema, { io: 'input' }) },
    ...(description === undefined ? {} : { description }),
  }));

const resultFor = ({ id }: Call, results: readonly Result[]): LlmContent => {
  const result = results.findLast((given) => given.id === id);
  if (!result) throw new TypeError(`Call ${id} has no result`); // the graph joins the calls before it thinks again
  return { type: 'toolResult', ...result, output: inWords(result.output) };
};

const wordsOf = ({ text, files = [] }: Said): LlmContent[] =>
  [text, ...files.map((file) => `Attached: ${describeFile(file)}`)].map((part) => ({ type: 'text', text: part }));

/** A model that takes text gets files described. */
const inWords = (output: unknown): unknown => {
  const made = MadeFiles.safeParse(output);
  return made.success ? { ...made.data, files: made.data.files.map(describeFile) } : output;
};

const filesIn = (output: unknown): AttachedFile[] => {
  const made = MadeFiles.safeParse(output);
  return made.success ? made.data.files : [];
};

/** What a function that makes files gives back: they become part of the run's output. */
const MadeFiles = z.looseObject({ files: z.array(AttachedFile).min(1) });

const FinalState = z.object({ text: z.string(), results: z.array(z.object({ output: z.unknown() })) });
