import { Annotation, END, Send, START, StateGraph } from '@langchain/langgraph';
import { defineAgent, type AgentDefinition } from '@millrace/agent-sdk';
import { z } from 'zod';
import { TreadmillInput } from './treadmill.input.js';
import { runStep, type StepInput } from './treadmill.step.js';

const TreadmillState = Annotation.Root({
  plan: Annotation<TreadmillInput>,
  /** How many steps are done: the branches of one step all say the same. */
  done: Annotation<number>({ reducer: (before, said) => Math.max(before, said), default: () => 0 }),
  payload: Annotation<string>({ reducer: (_before, said) => said, default: () => '' }),
  answers: Annotation<string[]>({ reducer: (before, said) => [...before, ...said], default: () => [] }),
});
type State = typeof TreadmillState.State;

const nextStep = ({ plan, done }: State): Send[] | 'step' | typeof END => {
  if (done >= plan.steps) return END;
  if (plan.parallel === 1) return 'step';
  return Array.from({ length: plan.parallel }, (_, branch) => new Send('step', { plan, done, branch }));
};

const afterStep = (state: State) => (state.plan.parallel > 1 ? 'join' : nextStep(state));

/** Work of a known size, for load, benchmarks and chaos: a chain of steps, each of them a node on a worker. */
export const createTreadmill = ({ ledgerFolder }: { ledgerFolder?: string | undefined } = {}): AgentDefinition =>
  defineAgent({
    id: 'treadmill',
    version: '1',
    title: 'Treadmill',
    description: 'Work of a known size, for load, benchmarks and chaos.',
    graph: new StateGraph(TreadmillState)
      .addNode('step', (input: StepInput) => runStep(input, ledgerFolder))
      .addNode('join', async () => ({}))
      .addConditionalEdges(START, nextStep, ['step', END])
      .addConditionalEdges('step', afterStep, ['step', 'join', END])
      .addConditionalEdges('join', nextStep, ['step', END])
      .compile(),
    inputSchema: TreadmillInput,
    toState: (input) => ({ plan: TreadmillInput.parse(input) }),
    toOutput: (state) => {
      const { done, answers } = FinalState.parse(state);
      return { steps: done, ...(answers.length > 0 ? { answers } : {}) };
    },
    recursionLimit: 250_000, // two supersteps for each of the most steps there may be, when they are parallel
  });

const FinalState = z.object({ done: z.int(), answers: z.array(z.string()) });
