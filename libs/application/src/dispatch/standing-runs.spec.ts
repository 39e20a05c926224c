import { describe, expect, it } from '@jest/globals';
import { RunId, type RunRef, subjects } from '@millrace/contracts';
import type { Run } from '@millrace/run-domain';
import { aRunRef } from '@millrace/testing';
import { SetAsides } from '../set-aside.js';
import { type Body, WorkWorld } from '../work-world.for-spec.js';
import { StandingRuns } from './standing-runs.js';

const AFTER_MS = 30_000;

const aSweep = (world: WorkWorld, { isServed = true } = {}) => {
  const found: string[] = [];
  const told: string[] = [];
  const notes = {
    standing: (_: RunRef, status: Run['status']) => void found.push(status),
    sweepFailed: (cause: unknown) => void told.push(String(cause)),
  };
  const setAsides = new SetAsides(world.platform.deadLetters, {
    setAside: ({ run, error }) => void told.push(`${run?.runId}: ${String(error)}`),
  });
  const wake = () => world.overseer.wake(aRunRef);
  const agents = { isServed: () => isServed };
  const ports = { ...world.platform, log: world.platform.runs, agents, setAsides, wake };
  const standing = new StandingRuns(ports, notes, AFTER_MS);
  const lookTwice = async (...runs: RunRef[]) => {
    await standing.look([aRunRef, ...runs]);
    await world.advance(AFTER_MS);
    return standing.look([aRunRef, ...runs]);
  };
  return { found, told, standing, lookTwice };
};

const loseTasks = ({ platform: { store } }: WorkWorld) => {
  for (const { place } of store.tasks.messages) store.tasks.remove(place);
};

const talk: Body = async () => 'done';

describe('A run that has not moved between two looks', () => {
  it('is woken when its message was lost before a worker had it', async () => {
    const world = new WorkWorld({ talk }, { workers: 0 });
    await world.start();
    loseTasks(world);
    await world.addWorker();
    const { found, lookTwice } = aSweep(world);
    await lookTwice();
    expect(found).toEqual(['DISPATCHED']);
    await world.quiet();
    expect((await world.kinds()).at(-1)).toBe('RunFinished');
  });

  it('is woken when its message was lost with the worker that had begun to move it', async () => {
    let bodies = 0;
    const world = new WorkWorld({ work: () => ((bodies += 1) === 1 ? new Promise(() => {}) : talk({} as never)) });
    await world.start();
    world.workers[0]!.process.crash();
    loseTasks(world);
    await world.addWorker();
    const { found, lookTwice } = aSweep(world);
    await lookTwice();
    expect(found).toEqual(['RUNNING']);
    await world.advance(1_000);
    expect((await world.kinds()).at(-1)).toBe('RunFinished');
    expect(bodies).toBe(2);
  });

  it('is left alone while its message is in the queue', async () => {
    const world = new WorkWorld({ talk }, { workers: 0 });
    await world.start();
    const { found, lookTwice } = aSweep(world);
    await lookTwice();
    expect(found).toEqual([]);
  });

  it('is left alone while it waits for a person', async () => {
    const world = new WorkWorld({ ask: async (context) => context.suspend({ type: 'waitForInput', prompt: 'Who?' }) });
    await world.start();
    const { found, lookTwice } = aSweep(world);
    await lookTwice();
    expect(found).toEqual([]);
  });

  it('is left alone while it is paused', async () => {
    const pause = () => world.handler.handle({ kind: 'PauseRun', ...aRunRef, by: 'ada' });
    const world = new WorkWorld({ one: async () => void (await pause()), two: talk });
    await world.start();
    await world.advance(1_000);
    const { found, lookTwice } = aSweep(world);
    await lookTwice();
    expect(found).toEqual([]);
    expect(await world.kinds()).toContain('RunPaused');
  });

  it('is told to be over when it has ended', async () => {
    const world = new WorkWorld({ talk });
    await world.start();
    const { found, lookTwice } = aSweep(world);
    expect(await lookTwice()).toEqual({ over: [aRunRef], stranded: [] });
    expect(found).toEqual([]);
  });
});

describe('A run that cannot be looked at', () => {
  const broken = { ...aRunRef, runId: RunId.parse('01JD00000000000000000000ZZ') };

  it('is set aside once, and the others are looked at', async () => {
    const world = new WorkWorld({ talk });
    await world.start();
    world.platform.store.runs.store({ subject: subjects.event({ ...broken, kind: 'RunStarted' }), data: 'no event' });
    const { told, standing } = aSweep(world);
    const looked = [];
    for (let look = 0; look < 3; look += 1) {
      looked.push(await standing.look([broken, aRunRef]));
      await world.advance(AFTER_MS);
    }
    expect(looked.map(({ over }) => over)).toEqual([[broken], [broken, aRunRef], [broken, aRunRef]]);
    expect(told).toEqual([expect.stringContaining(`${broken.runId}: EventInvalid`)]);
    const letters = await world.platform.deadLetters.list(10);
    expect(letters.filter(({ consumer }) => consumer === 'sweep')).toMatchObject([{ attempts: 1, streamSequence: 0 }]);
  });
});

describe('A run whose agent no worker has', () => {
  it('is told to be stranded, and is not woken', async () => {
    const world = new WorkWorld({ talk }, { workers: 0 });
    await world.start();
    const { found, told, lookTwice } = aSweep(world, { isServed: false });
    const { over, stranded } = await lookTwice();
    expect([over, stranded]).toEqual([[], [{ run: aRunRef, cause: 'no worker has agent echo 1' }]]);
    expect([found, told]).toEqual([[], []]);
  });
});

describe('A run that moves', () => {
  it('is left alone however often it is looked at', async () => {
    const world = new WorkWorld({ one: talk, two: talk }, { workers: 0 });
    await world.start();
    const { found, standing } = aSweep(world);
    await standing.look([aRunRef]);
    await world.addWorker();
    await world.advance(AFTER_MS);
    await standing.look([aRunRef]);
    expect(found).toEqual([]);
  });
});
