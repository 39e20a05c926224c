import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunEvent, RunEventOf, RunRef } from '@millrace/contracts';
import { join } from 'node:path';
import { Cluster } from './cluster.for-spec.js';
import { expectSoundStory } from './sound-story.for-spec.js';

const AGENT_MODULES = join(import.meta.dirname, '..', 'agents', 'changing.mjs');

let cluster: Cluster;
beforeAll(async () => {
  cluster = await Cluster.start({ orchestrator: 1, 'node-workers': 1 }, { AGENT_MODULES, FICKLE_WAY: 'left' });
});
afterAll(() => cluster.stop());

/** Requested, and now waiting for a person. */
async function waiting(
  agent: string,
  input: object = {},
): Promise<RunRef & { question: RunEventOf<'InputRequested'> }> {
  const run = await cluster.request(agent, input);
  const events = await cluster.until(run, ({ kind }) => kind === 'NodeSuspended');
  return { ...run, question: only(events, 'InputRequested') };
}

const answer = ({ tenantId, runId, question }: Awaited<ReturnType<typeof waiting>>) =>
  cluster.handler.handle({
    ...{ kind: 'ProvideInput', tenantId, runId, requestId: question.requestId },
    ...{ response: { text: 'Ada' }, by: 'ada' },
  });

function only<K extends RunEvent['kind']>(events: readonly RunEvent[], kind: K): RunEventOf<K> {
  const found = events.filter((event): event is RunEventOf<K> => event.kind === kind);
  expect(found).toHaveLength(1);
  return found[0]!;
}

describe('A question whose deadline passes', () => {
  it('expires once, and the run goes on as its graph says', async () => {
    const run = await waiting('patient', { expiresInMs: 300 });
    const events = await cluster.ended(run);
    expectSoundStory(events);
    const expired = only(events, 'InputExpired');
    expect(expired.requestId).toBe(run.question.requestId);
    expect(Date.parse(expired.ts)).toBeGreaterThanOrEqual(Date.parse(run.question.expiresAt!));
    expect(events.at(-1)).toMatchObject({ kind: 'RunFinished', output: { text: 'hello nobody' } });
  });

  it('ends a run that cannot do without the answer, and an answer that comes later is refused', async () => {
    const run = await waiting('strict', { expiresInMs: 300 });
    await cluster.until(run, ({ kind }) => kind === 'InputExpired');
    await expect(answer(run)).rejects.toMatchObject({ code: 'INPUT_EXPIRED' });
    const events = await cluster.ended(run);
    expectSoundStory(events);
    const inTime = `Nobody answered request ${run.question.requestId} in time`;
    expect(only(events, 'NodeFinished')).toMatchObject({ result: 'FAILURE', error: { message: inTime } });
    expect(events.at(-1)).toMatchObject({
      ...{ kind: 'RunFailed', errorCode: 'NON_RETRYABLE_ERROR' },
      reason: expect.stringContaining(inTime),
    });
    expect(events.filter(({ kind }) => kind === 'InputProvided')).toEqual([]);
  });

  it('expires although it passed while every process was down', async () => {
    const run = await waiting('patient', { expiresInMs: 2_000 });
    await Promise.all([...cluster.processes].map((killed) => cluster.kill(killed)));
    await cluster.clockPast(run.question.expiresAt!);
    await Promise.all([cluster.spawn('orchestrator'), cluster.spawn('node-workers')]);
    const events = await cluster.ended(run);
    expectSoundStory(events);
    only(events, 'InputExpired');
    expect(events.at(-1)).toMatchObject({ kind: 'RunFinished', output: { text: 'hello nobody' } });
  });

  it('changes nothing when it was answered before', async () => {
    const run = await waiting('patient', { expiresInMs: 2_000 });
    await answer(run);
    const events = await cluster.ended(run);
    expect(events.at(-1)).toMatchObject({ kind: 'RunFinished', output: { text: 'hello Ada' } });
    await cluster.clockPast(run.question.expiresAt!);
    const later = await waiting('patient', { expiresInMs: 1 }); // its deadline is due after the other one
    await cluster.ended(later);
    expect((await cluster.log.read(run)).events).toEqual(events);
  });
});

describe('A run in flight when its agent changes', () => {
  it('goes on with the version it began with, while a new run begins with the newest', async () => {
    const run = await waiting('smith');
    await cluster.restart({ SMITH_VERSIONS: '1 2' });
    await answer(run);
    const events = await cluster.ended(run);
    expectSoundStory(events);
    expect(only(events, 'RunStarted').agentVersion).toBe('1');
    expect(events.at(-1)).toMatchObject({ kind: 'RunFinished', output: { text: '1: Ada' } });
    const newer = await waiting('smith');
    await answer(newer);
    expect((await cluster.ended(newer)).at(-1)).toMatchObject({ kind: 'RunFinished', output: { text: '2: Ada' } });
  });

  it('fails with its reason when that version is gone', async () => {
    await cluster.restart({ SMITH_VERSIONS: '1' });
    const run = await waiting('smith');
    await cluster.restart({ SMITH_VERSIONS: '2' });
    await answer(run);
    const events = await cluster.ended(run);
    expectSoundStory(events);
    expect(events.at(-1)).toMatchObject({
      ...{ kind: 'RunFailed', errorCode: 'AGENT_VERSION_GONE' },
      reason: 'Agent smith 1 is gone: there is 2',
    });
  });
});

describe('A router that goes another way in another process', () => {
  it('fails its run, and says which node the log has instead', async () => {
    const run = await waiting('fickle');
    await cluster.restart({ FICKLE_WAY: 'right' });
    await answer(run);
    const events = await cluster.ended(run);
    expectSoundStory(events);
    expect(events.at(-1)).toMatchObject({
      ...{ kind: 'RunFailed', errorCode: 'NON_DETERMINISTIC_GRAPH' },
      reason: 'The graph asks for 2/right, the log has 2/left',
    });
    const bodies = events.flatMap((event) => (event.kind === 'NodeStarted' ? [event.taskKey] : []));
    expect(bodies).not.toContain('2/right');
  });
});
