import { describe, expect, it } from '@jest/globals';
import type { LlmRequest } from '@millrace/ports';
import { explorerScript } from './explorer.agent.js';
import { ExplorerInput, type Explored } from './explorer.state.js';
import { verdictOf } from './explorer.verdict.js';
import { AppCrashed, DeviceFailed, fakeDevice } from './fake-device.js';

const app = { start: 'a', screens: { a: { x: 'b' }, b: {} } };
const plan = ExplorerInput.parse({ app, maxSteps: 5, patience: 2 });
const known = (more: Partial<Explored>) =>
  ({
    ...{ plan, policy: 'first-untried', screen: 'a', restarts: 0, acts: 1, stale: 0, seen: ['a'], tried: [] },
    ...more,
  }) as Explored;

describe('What the explorer does next', () => {
  it.each([
    ['CONTINUE', 'as long as there is something to try', {}],
    ['STOP', 'after as many steps as it may take', { acts: 5 }],
    ['STOP', 'when all it knows was tried', { tried: ['a/x'] }],
    ['CONTINUE', 'on a screen it has not looked at yet', { tried: ['a/x'], screen: 'b' }],
    ['SWITCH_POLICY', 'when it sees nothing new', { stale: 2 }],
    ['RESTART_APP', 'when no policy is left', { stale: 2, policy: 'last-untried' }],
    ['STOP', 'when a fresh start has not helped', { stale: 2, policy: 'last-untried', restarts: 1 }],
  ] as const)('is %s %s', (verdict, _, more) => {
    expect(verdictOf(known(more as Partial<Explored>))).toBe(verdict);
  });
});

describe('The fake device', () => {
  const faults = { launchCrashes: 1, failingActs: [2] };

  it('does what its map says, and leads back from where nothing is offered', () => {
    expect(fakeDevice.launch(app, faults, 2)).toEqual({ screen: 'a' });
    expect(fakeDevice.act(app, faults, { number: 1, screen: 'a', action: 'x' })).toEqual({ screen: 'b' });
    expect(fakeDevice.actionsOn(app, 'b')).toEqual(['back']);
    expect(fakeDevice.act(app, faults, { number: 1, screen: 'b', action: 'back' })).toEqual({ screen: 'a' });
  });

  it('fails when it is told to, and for what is not there', () => {
    expect(() => fakeDevice.launch(app, faults, 1)).toThrow(AppCrashed);
    expect(() => fakeDevice.act(app, faults, { number: 2, screen: 'a', action: 'x' })).toThrow(DeviceFailed);
    expect(() => fakeDevice.act(app, faults, { number: 1, screen: 'a', action: 'y' })).toThrow('no y on a');
  });
});

describe("The explorer's script", () => {
  const said = (content: string) => {
    const system = 'Choose one of these actions: x, y, z. Say why, and end with its name.';
    const request: LlmRequest = { model: 'm', system, messages: [{ role: 'user', content }] };
    return explorerScript(request).turns[0]?.says;
  };

  it('takes what the policy says of what was not tried, and anything when all was', () => {
    expect(said('Policy: first-untried\nScreen: a\nUntried: y, z')).toEqual(['On a I take y']);
    expect(said('Policy: last-untried\nScreen: a\nUntried: y, z')).toEqual(['On a I take z']);
    expect(said('Policy: first-untried\nScreen: a\nUntried: ')).toEqual(['On a I take x']);
  });
});
