import { END, START, StateGraph } from '@langchain/langgraph';
import { asGraphNode, defineAgent, type AgentDefinition } from '@millrace/agent-sdk';
import type { LlmRequest } from '@millrace/ports';
import { z } from 'zod';
import { createChooseAction } from './choose-action.node.js';
import { deviceTools, explorerNodes as nodes } from './explorer.nodes.js';
import { ExplorerInput, ExplorerState, type Explored } from './explorer.state.js';
import { type ModelScript, writeScript } from './model-script.js';

export const EXPLORER_SCRIPT = 'scripted/explorer';

/** Each step is nine supersteps, and a recovery a few more. */
const SUPERSTEPS_PER_STEP = 12;

/** Explores an app on a device: set-up, then a loop with a policy that changes, restarts, and recovery from errors. */
export const createExplorer = ({ model = EXPLORER_SCRIPT }: { model?: string | undefined } = {}): AgentDefinition =>
  defineAgent({
    ...{ id: 'explorer', version: '1', title: 'Explorer', tools: deviceTools, inputSchema: ExplorerInput },
    description:
      'Explores an app on a device: tries its actions, recovers from errors, stops when it sees nothing new.',
    graph: new StateGraph(ExplorerState)
      .addNode(nodes)
      .addNode('ChooseAction', asGraphNode(createChooseAction(model)))
      .addEdge(START, 'EnsureDevice')
      .addEdge('EnsureDevice', 'ProvisionApp')
      .addEdge('ProvisionApp', 'LaunchOrAttach')
      .addConditionalEdges('LaunchOrAttach', ({ fault }) => (fault === '' ? 'WaitIdle' : 'RestartApp'), [
        ...(['WaitIdle', 'RestartApp'] as const),
      ])
      .addEdge('WaitIdle', 'Perceive')
      .addEdge('Perceive', 'EnumerateActions')
      .addEdge('EnumerateActions', 'ChooseAction')
      .addEdge('ChooseAction', 'Act')
      .addConditionalEdges('Act', ({ fault }) => (fault === '' ? 'Verify' : 'RecoverFromError'), [
        ...(['Verify', 'RecoverFromError'] as const),
      ])
      .addEdge('RecoverFromError', 'EnumerateActions')
      .addEdge('Verify', 'Persist')
      .addEdge('Persist', 'DetectProgress')
      .addEdge('DetectProgress', 'ShouldContinue')
      .addConditionalEdges('ShouldContinue', ({ verdict }: Explored) => NEXT[verdict], Object.values(NEXT))
      .addEdge('SwitchPolicy', 'Perceive')
      .addEdge('RestartApp', 'WaitIdle')
      .addEdge('Stop', END)
      .compile(),
    toState: (input) => ({ plan: ExplorerInput.parse(input) }),
    toOutput: (state) => {
      const { seen, acts, restarts, policy } = Found.parse(state);
      return { text: `Saw ${seen.join(', ')}.`, screens: seen, steps: acts, restarts, policy };
    },
    // A launch that crashes again is tried again; the graph has no other way on from there.
    retry: { RestartApp: { isRetryable: () => true, firstDelayMs: 100 } },
    recursionLimit: 1_000 * SUPERSTEPS_PER_STEP,
  });

const NEXT = {
  CONTINUE: 'Perceive',
  SWITCH_POLICY: 'SwitchPolicy',
  RESTART_APP: 'RestartApp',
  STOP: 'Stop',
} as const;

const Found = z.object({
  ...{ seen: z.array(z.string()), acts: z.int(), restarts: z.int(), policy: z.string() },
});

/** Takes the first or the last of the untried actions, as the policy says; any when all were tried. */
export const explorerScript = (request: LlmRequest): ModelScript =>
  writeScript(request, ({ text }) => {
    const untried = lineOf(text, 'Untried').split(', ').filter(Boolean);
    const offered = (request.system ?? '').match(/actions: (.*?)\. Say/)?.[1]?.split(', ') ?? [];
    const candidates = untried.length > 0 ? untried : offered;
    const chosen = lineOf(text, 'Policy') === 'last-untried' ? candidates.at(-1) : candidates[0];
    return [`On ${lineOf(text, 'Screen')} I take ${chosen}`];
  });

const lineOf = (text: string, name: string): string =>
  text
    .split('\n')
    .find((line) => line.startsWith(`${name}: `))
    ?.slice(name.length + 2) ?? '';
