import { fakeDevice } from './fake-device.js';
import { POLICIES, type Explored, type Policy, type Verdict } from './explorer.state.js';

/** What is next, from what is known: first another policy, then a fresh start, then no more. */
export const verdictOf = ({ plan, acts, stale, policy, restarts, seen, screen, tried }: Explored): Verdict => {
  if (acts >= plan.maxSteps || isExhausted(plan.app, [...seen, screen], tried)) return 'STOP';
  if (stale < plan.patience) return 'CONTINUE';
  if (nextPolicy(policy) !== undefined) return 'SWITCH_POLICY';
  return restarts === 0 ? 'RESTART_APP' : 'STOP';
};

export const nextPolicy = (policy: Policy): Policy | undefined => POLICIES[POLICIES.indexOf(policy) + 1];

export const untriedOn = (screen: string, actions: readonly string[], tried: readonly string[]): string[] =>
  actions.filter((action) => !tried.includes(actionKey(screen, action)));

export const actionKey = (screen: string, action: string): string => `${screen}/${action}`;

/** Every action of every screen that is known has been tried. */
const isExhausted = (app: Explored['plan']['app'], known: readonly string[], tried: readonly string[]): boolean =>
  known.every((screen) => untriedOn(screen, fakeDevice.actionsOn(app, screen), tried).length === 0);
