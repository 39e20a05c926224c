import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { JetStreamDeadLetters } from '@millrace/adapter-jetstream';
import { RunRedrive } from '@millrace/application';
import { type RunEvent, RunId, type RunRef } from '@millrace/contracts';
import { Cluster } from './cluster.for-spec.js';
import { expectSoundStory } from './sound-story.for-spec.js';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await Cluster.start({ orchestrator: 1, 'node-workers': 1 }, { MAX_ACTIVE_RUNS: '3' });
});
afterAll(() => cluster.stop());

const slow = { steps: 50, tokensPerStep: 20, tokensPerSecond: 20 };
const isKind =
  (kind: RunEvent['kind']) =>
  (event: RunEvent): boolean =>
    event.kind === kind;
const cancel = (run: RunRef) =>
  cluster.handler.handle({ kind: 'CancelRun', ...run, requestedBy: 'ada', reason: 'enough' });

describe('A run that is canceled', () => {
  it('in the middle of its tokens stops and ends', async () => {
    const run = await cluster.request('treadmill', slow);
    await cluster.until(run, isKind('TokenDelta'));
    await cancel(run);
    const events = await cluster.ended(run);
    expectSoundStory(events);
    expect(events.at(-1)).toMatchObject({ kind: 'RunCanceled', canceledBy: 'ada', reason: 'enough' });
    await cancel(run); // nothing more happens
    expect((await cluster.log.read(run)).events).toEqual(events);
  });

  it('while it waits for a person, for a slot, or is paused, ends as well', async () => {
    const asking = await cluster.request('treadmill', { steps: 1, askAtStep: 1 });
    await cluster.until(asking, isKind('NodeSuspended'));
    const holding = await Promise.all([1, 2, 3].map(() => cluster.request('treadmill', slow)));
    await Promise.all(holding.map((run) => cluster.until(run, isKind('NodeStarted'))));
    const queued = await cluster.request('treadmill', slow);
    await cluster.until(queued, isKind('RunQueued'));
    await cluster.handler.handle({ kind: 'PauseRun', ...holding[0]!, by: 'ada' });
    const runs = [asking, queued, ...holding];
    await Promise.all(runs.map(cancel));
    for (const events of await Promise.all(runs.map((run) => cluster.ended(run)))) {
      expectSoundStory(events);
      expect(events.at(-1)?.kind).toBe('RunCanceled');
    }
  });
});

describe('A run whose goal is reached', () => {
  it('while it waits for a slot ends without one', async () => {
    const holding = await Promise.all([1, 2, 3].map(() => cluster.request('treadmill', slow)));
    await Promise.all(holding.map((run) => cluster.until(run, isKind('NodeStarted'))));
    const queued = await cluster.request('treadmill', slow);
    await cluster.until(queued, isKind('RunQueued'));
    await cluster.handler.handle({ kind: 'AchieveGoal', ...queued, by: 'ada' });
    const events = await cluster.ended(queued);
    expectSoundStory(events);
    expect(events.map(({ kind }) => kind)).toEqual(['RunRequested', 'RunQueued', 'GoalAchieved', 'RunFinished']);
    await Promise.all(holding.map(cancel));
    await Promise.all(holding.map((run) => cluster.ended(run)));
  });
});

describe('A run that is paused', () => {
  it('starts nothing more until it is resumed, and then ends as if nothing had been', async () => {
    const run = await cluster.request('treadmill', { steps: 4, tokensPerStep: 4, tokensPerSecond: 10 });
    await cluster.until(run, isKind('TokenDelta'));
    await cluster.handler.handle({ kind: 'PauseRun', ...run, by: 'ada' });
    const paused = await cluster.until(run, isKind('NodeFinished'));
    expect(paused.some(isKind('RunPaused'))).toBe(true);
    await cluster.handler.handle({ kind: 'ResumeRun', ...run, by: 'ada' });
    const events = await cluster.ended(run);
    expectSoundStory(events);
    expect(events.at(-1)).toMatchObject({ kind: 'RunFinished', stepsCompleted: 4 });
  });
});

describe('A run that cannot go on', () => {
  it('waits while nobody has its agent, lets others pass, and can be canceled', async () => {
    const run = await cluster.request('nobody', {});
    expect((await cluster.until(run, isKind('RunQueued'))).at(-1)).toMatchObject({ waitingFor: 'worker' });
    const other = await cluster.request('echo', { text: 'past it' });
    expect((await cluster.ended(other)).at(-1)).toMatchObject({ kind: 'RunFinished' });
    await cluster.handler.handle({ kind: 'CancelRun', ...run, requestedBy: 'ada' });
    expect((await cluster.ended(run)).map(({ kind }) => kind)).toEqual([
      ...['RunRequested', 'RunQueued', 'RunCancelRequested', 'RunCanceled'],
    ]);
  });

  it('fails clearly when its input is refused', async () => {
    const run = await cluster.request('treadmill', { steps: 'many' });
    const end = (await cluster.ended(run)).at(-1);
    expect(end).toMatchObject({
      kind: 'RunFailed',
      errorCode: 'INPUT_INVALID',
      reason: expect.stringContaining('steps'),
    });
  });

  it('fails after its retries, and is done as achieved when a person says so', async () => {
    const failing = await cluster.request('treadmill', { steps: 1, failAtStep: 1, failTimes: 9 });
    const asking = await cluster.request('treadmill', { steps: 1, askAtStep: 1 });
    await cluster.until(asking, isKind('NodeSuspended'));
    await cluster.handler.handle({ kind: 'AchieveGoal', ...asking, by: 'ada' });
    expect((await cluster.ended(asking)).at(-1)?.kind).toBe('RunFinished');
    const events = await cluster.ended(failing);
    expectSoundStory(events);
    expect(events.filter(isKind('NodeRetryScheduled'))).toHaveLength(2);
    expect(events.at(-1)).toMatchObject({ kind: 'RunFailed', errorCode: 'MAX_RETRIES_EXCEEDED' });

    const [letter] = await new JetStreamDeadLetters(cluster.nats).list(10);
    expect(letter).toMatchObject({ consumer: 'node-workers', reason: expect.stringContaining('Step 1 fails') });
    const redrive = new RunRedrive(cluster.ports, () => RunId.parse(cluster.ids.next()));
    const { failed: of, run } = await redrive.redriveLetter(letter!, 'ada', 'try once more');
    expect(of).toEqual(failing);
    await cluster.until(run, isKind('NodeRetryScheduled'));
    await cancel(run);
  });
});
