import { describe, expect, it } from '@jest/globals';
import { aRunRef } from '@millrace/testing';
import { WorkWorld } from '../work-world.for-spec.js';
import { StandingRuns } from './standing-runs.js';

const AFTER_MS = 30_000;

const aSweep = async (world: WorkWorld) => {
  const found: string[] = [];
  const ports = {
    log: world.log,
    tasks: world.queue,
    clock: world.clock,
    wake: () => world.conductor.wake(aRunRef),
  };
  const standing = new StandingRuns(ports, { standing: (_, status) => void found.push(status) }, AFTER_MS);
  const lookTwice = async () => {
    await standing.look([aRunRef]);
    world.clock.advance(AFTER_MS);
    return standing.look([aRunRef]);
  };
  return { found, standing, lookTwice };
};

const talk = { talk: async () => 'done' };

describe('A run that has not moved between two looks', () => {
  it('is woken when its task was lost before a worker had it', async () => {
    const world = new WorkWorld(talk);
    await world.start();
    world.queue.waiting.length = 0;
    const { found, lookTwice } = await aSweep(world);
    await lookTwice();
    expect(found).toEqual(['DISPATCHED']);
    await world.work();
    expect((await world.kinds()).at(-1)).toBe('RunFinished');
  });

  it('is woken when its task was lost with the worker that had begun it', async () => {
    const world = new WorkWorld({ hang: () => new Promise(() => {}) });
    await world.start();
    const [task] = world.queue.waiting.splice(0);
    void world.worker.execute(task!);
    while (!(await world.kinds()).includes('NodeStarted')) await new Promise(setImmediate);
    const { found, lookTwice } = await aSweep(world);
    await lookTwice();
    expect(found).toEqual(['RUNNING']);
    world.worker = world.newWorker();
    const again = world.worker.execute(world.queue.waiting.shift()!);
    while ((await world.kinds()).filter((kind) => kind === 'NodeStarted').length < 2) await new Promise(setImmediate);
    void again;
  });

  it('is left alone while a message of it is in the queue', async () => {
    const world = new WorkWorld(talk);
    await world.start();
    const { found, lookTwice } = await aSweep(world);
    await lookTwice();
    expect(found).toEqual([]);
  });

  it('is left alone while it waits for a person', async () => {
    const world = new WorkWorld({ ask: async (context) => context.suspend({ type: 'waitForInput', prompt: 'Who?' }) });
    await world.start();
    await world.work();
    const { found, lookTwice } = await aSweep(world);
    await lookTwice();
    expect(found).toEqual([]);
  });

  it('is left alone while it is paused', async () => {
    let isPaused = Promise.resolve();
    const pause = () => world.handler.handle({ kind: 'PauseRun', ...aRunRef, by: 'ada' });
    const world = new WorkWorld({ one: async () => void (isPaused = pause().then(() => {})), two: talk.talk });
    await world.start();
    await world.work();
    await isPaused;
    const { found, lookTwice } = await aSweep(world);
    await lookTwice();
    expect(found).toEqual([]);
  });

  it('is told to be over when it has ended', async () => {
    const world = new WorkWorld(talk);
    await world.start();
    await world.work();
    const { found, lookTwice } = await aSweep(world);
    expect(await lookTwice()).toEqual([aRunRef]);
    expect(found).toEqual([]);
  });
});

describe('A run that moves', () => {
  it('is left alone however often it is looked at', async () => {
    const world = new WorkWorld({ one: talk.talk, two: talk.talk });
    await world.start();
    const { found, standing } = await aSweep(world);
    await standing.look([aRunRef]);
    await world.work();
    world.queue.waiting.length = 0;
    world.clock.advance(AFTER_MS);
    await standing.look([aRunRef]);
    expect(found).toEqual([]);
  });
});
