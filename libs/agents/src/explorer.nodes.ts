import { defineTool, nodeContext, type ToolDefinition } from '@millrace/agent-sdk';
import { z } from 'zod';
import { AppMap, DeviceFaults, fakeDevice } from './fake-device.js';
import type { Explored, ExplorerUpdate } from './explorer.state.js';
import { actionKey, nextPolicy, untriedOn, verdictOf } from './explorer.verdict.js';
import { faultOf, isToolFault } from './tool-fault.js';

const Device = { app: AppMap, faults: DeviceFaults };
const Landed = z.object({ screen: z.string() });

/** What is done to the device, as tools: the intent is in the log before it happens, and what came of it after. */
export const deviceTools = {
  device_launch: defineTool({
    description: 'Launches the app, or attaches to it',
    inputSchema: z.object({ ...Device, launch: z.int().positive() }),
    run: async ({ app, faults, launch }) => fakeDevice.launch(app, faults, launch),
  }),
  device_act: defineTool({
    description: 'Does one action on the screen that is shown',
    inputSchema: z.object({ ...Device, act: z.object({ number: z.int(), screen: z.string(), action: z.string() }) }),
    run: async ({ app, faults, act }) => fakeDevice.act(app, faults, act),
  }),
} as const satisfies Record<string, ToolDefinition>;

type Node = (state: Explored) => Promise<ExplorerUpdate>;

const ensureDevice: Node = async () => {
  nodeContext().progress('The device is there', 0);
  return { fault: '' };
};

const provisionApp: Node = async ({ plan }) => {
  nodeContext().log('info', `The app has ${Object.keys(plan.app.screens).length} screens`);
  return {};
};

/** A crash is no failure of the node: the graph has a way on from it. */
const launchOrAttach: Node = async (state) => {
  const context = nodeContext();
  const launches = state.launches + 1;
  try {
    return { launches, fault: '', screen: await launched(state, launches) };
  } catch (error) {
    if (!isToolFault(error, context)) throw error;
    return { launches, fault: faultOf(error) };
  }
};

const restartApp: Node = async (state) => {
  const { attempt } = nodeContext();
  const launches = state.launches + attempt; // it may crash again, and is then tried again
  return { launches, fault: '', restarts: state.restarts + 1, stale: 0, screen: await launched(state, launches) };
};

const launched = async ({ plan: { app, faults } }: Explored, launch: number): Promise<string> =>
  Landed.parse(await nodeContext().tool('device_launch', { app, faults, launch })).screen;

const waitIdle: Node = async ({ screen }) => {
  nodeContext().log('debug', `Idle on ${screen}`);
  return {};
};

const perceive: Node = async ({ screen, seen, stale }) => {
  const isNew = !seen.includes(screen);
  nodeContext().message(`I see ${screen}${isNew ? ', for the first time' : ''}.`);
  return isNew ? { seen: [...seen, screen], stale: 0 } : { stale: stale + 1 };
};

const enumerateActions: Node = async ({ plan, screen, tried, policy }) => {
  const actions = fakeDevice.actionsOn(plan.app, screen);
  const untried = untriedOn(screen, actions, tried);
  const context = `Policy: ${policy}\nScreen: ${screen}\nUntried: ${untried.join(', ')}`;
  return { availableActions: actions, context };
};

const act: Node = async ({ plan, screen, selectedAction: action, acts, tried }) => {
  const context = nodeContext();
  const done = { acts: acts + 1, tried: [...new Set([...tried, actionKey(screen, action)])] };
  try {
    const { app, faults } = plan;
    const input = { app, faults, act: { number: acts + 1, screen, action } };
    return { ...done, fault: '', landed: Landed.parse(await context.tool('device_act', input)).screen };
  } catch (error) {
    if (!isToolFault(error, context)) throw error;
    return { acts: acts + 1, fault: faultOf(error) };
  }
};

const recoverFromError: Node = async ({ fault }) => {
  nodeContext().log('warn', `Going on after: ${fault}`);
  return { fault: '' };
};

const verify: Node = async ({ landed, screen }) => {
  if (landed === screen) nodeContext().log('debug', `Still on ${screen}`);
  return { screen: landed };
};

/** The log is where it is kept: a step's value is there whatever becomes of the node. */
const persist: Node = async ({ screen, selectedAction, acts }) => {
  await nodeContext().step('explored', () => ({ acts, screen, selectedAction }));
  return {};
};

const detectProgress: Node = async ({ seen, plan }) => {
  const all = Object.keys(plan.app.screens).length;
  nodeContext().progress(`${seen.length} of ${all} screens`, Math.min(seen.length / Math.max(all, 1), 1));
  return {};
};

const shouldContinue: Node = async (state) => ({ verdict: verdictOf(state) });

const switchPolicy: Node = async ({ policy, stale }) => {
  const next = nextPolicy(policy) ?? policy;
  await nodeContext().switchPolicy(next, `${stale} steps without a new screen`);
  return { policy: next, stale: 0 };
};

const stop: Node = async ({ seen }) => {
  nodeContext().message(`I have seen ${seen.length} screens.`);
  return {};
};

/** By the names they have in the graph; ChooseAction is a node with a contract of its own. */
export const explorerNodes = {
  EnsureDevice: ensureDevice,
  ProvisionApp: provisionApp,
  LaunchOrAttach: launchOrAttach,
  WaitIdle: waitIdle,
  Perceive: perceive,
  EnumerateActions: enumerateActions,
  Act: act,
  Verify: verify,
  Persist: persist,
  DetectProgress: detectProgress,
  ShouldContinue: shouldContinue,
  SwitchPolicy: switchPolicy,
  RestartApp: restartApp,
  RecoverFromError: recoverFromError,
  Stop: stop,
} as const satisfies Record<string, Node>;
