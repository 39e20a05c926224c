import { describe, expect, it } from '@jest/globals';
import type { RunEvent } from '@millrace/contracts';
import { AgentWorld } from './agent-world.for-spec.js';

const app = { start: 'home', screens: { home: { list: 'list', about: 'about' }, list: { up: 'home' }, about: {} } };

const explored = async (options: object = {}): Promise<RunEvent[]> => {
  const world = new AgentWorld();
  const run = await world.start('explorer', { app, ...options });
  await world.work(run);
  return world.events(run);
};

const nodesOf = (events: readonly RunEvent[]): string[] =>
  events.flatMap((event) => (event.kind === 'NodeFinished' ? [event.node] : []));

/** Whether these follow each other somewhere in the run. */
const follows = (events: readonly RunEvent[], ...path: string[]): boolean =>
  ` ${nodesOf(events).join(' ')} `.includes(` ${path.join(' ')} `);

const SETUP = ['EnsureDevice', 'ProvisionApp', 'LaunchOrAttach', 'WaitIdle'];
const LOOP = ['Perceive', 'EnumerateActions', 'ChooseAction', 'Act', 'Verify', 'Persist', 'DetectProgress'];

describe('explorer', () => {
  it('sets up, then goes round its loop until every action was tried, and stops', async () => {
    const events = await explored({ patience: 10 });
    expect(nodesOf(events).slice(0, 12)).toEqual([...SETUP, ...LOOP, 'ShouldContinue']);
    expect(follows(events, 'ShouldContinue', 'Perceive')).toBe(true);
    expect(nodesOf(events).slice(-2)).toEqual(['ShouldContinue', 'Stop']);
    expect(events.at(-1)).toMatchObject({ kind: 'RunFinished', output: { screens: ['home', 'list', 'about'] } });
  });

  it('switches its policy when it sees nothing new, then restarts the app, then stops', async () => {
    const events = await explored({
      app: { start: 'a', screens: { a: { w: 'a', x: 'a', y: 'a', z: 'a' } } },
      patience: 1,
    });
    expect(events.find(({ kind }) => kind === 'PolicySwitched')).toMatchObject({
      ...{ fromPolicy: 'default', toPolicy: 'last-untried', agentId: 'explorer', node: 'SwitchPolicy' },
    });
    expect(follows(events, 'ShouldContinue', 'SwitchPolicy', 'Perceive')).toBe(true);
    expect(follows(events, 'ShouldContinue', 'RestartApp', 'WaitIdle', 'Perceive')).toBe(true);
    expect(events.at(-1)).toMatchObject({ output: { restarts: 1, policy: 'last-untried' } });
  });

  it('recovers from a device that fails, and tries another way', async () => {
    const events = await explored({ faults: { failingActs: [1, 3] } });
    expect(follows(events, 'Act', 'RecoverFromError', 'EnumerateActions')).toBe(true);
    expect(nodesOf(events).filter((node) => node === 'RecoverFromError')).toHaveLength(2);
    expect(events.at(-1)?.kind).toBe('RunFinished');
  });

  it('restarts an app that crashes when it is launched', async () => {
    const events = await explored({ faults: { launchCrashes: 1 } });
    expect(nodesOf(events).slice(0, 5)).toEqual([
      'EnsureDevice',
      'ProvisionApp',
      'LaunchOrAttach',
      'RestartApp',
      'WaitIdle',
    ]);
    expect(events.at(-1)?.kind).toBe('RunFinished');
  });

  it('stops after as many steps as it may take', async () => {
    const events = await explored({ maxSteps: 2 });
    expect(nodesOf(events).filter((node) => node === 'Act')).toHaveLength(2);
    expect(events.at(-1)?.kind).toBe('RunFinished');
  });
});
