import { afterEach, describe, expect, it } from '@jest/globals';
import { STREAMS } from '@millrace/adapter-jetstream';
import type { RunEvent, RunRef } from '@millrace/contracts';
import { join } from 'node:path';
import { Cluster, type Role } from './cluster.for-spec.js';
import { expectNotRedone, expectSoundStory } from './sound-story.for-spec.js';

const AGENT_MODULES = join(import.meta.dirname, '..', 'agents', 'blocking.mjs');

let cluster: Cluster;
afterEach(() => cluster.stop());

const start = async (workers: number, env: Record<string, string> = {}): Promise<void> => {
  const roles: Partial<Record<Role, number>> = { orchestrator: 1, 'node-workers': workers };
  cluster = await Cluster.start(roles, { AGENT_MODULES, ...env });
};

const requestMany = (count: number, agent: string, input: unknown): Promise<RunRef[]> =>
  Promise.all(Array.from({ length: count }, () => cluster.request(agent, input)));

const endedAt = (events: readonly RunEvent[]): number => {
  expectSoundStory(events);
  expect(events.at(-1)?.kind).toBe('RunFinished');
  return Date.parse(events.at(-1)!.ts);
};

const endAll = (runs: readonly RunRef[]): Promise<number[]> =>
  Promise.all(runs.map(async (run) => endedAt(await cluster.ended(run))));

describe('A run that moves for long', () => {
  it('gives its slot to runs that wait for one, and goes on behind them in the same process', async () => {
    await start(1, { CONCURRENCY: '1' });
    const long = await cluster.request('treadmill', { steps: 1_500, ledgerFile: 'turns' });
    await cluster.until(long, ({ kind }) => kind === 'NodeFinished');
    const short = await endAll(await requestMany(3, 'echo', { text: 'hello' }));
    const events = await cluster.ended(long);
    expect(Math.max(...short)).toBeLessThan(endedAt(events));
    expectNotRedone(events, cluster.ledger('turns'));
    expect(events.filter((event) => event.kind === 'NodeStarted' && event.attempt > 1)).toEqual([]);
  });

  it('is taken over where it is when its worker dies after 900 of 1,000 steps', async () => {
    await start(2);
    const run = await cluster.request('treadmill', { steps: 1_000, ledgerFile: 'takeover' });
    await cluster.until(run, (event) => event.kind === 'NodeFinished' && event.iteration >= 900);
    for (const worker of cluster.of('node-workers')) await cluster.kill(worker);
    await cluster.spawn('node-workers');
    const events = await cluster.ended(run);
    endedAt(events);
    expect(events.at(-1)).toMatchObject({ output: { steps: 1_000 } });
    expectNotRedone(events, cluster.ledger('takeover'));
    const again = events.filter((event) => event.kind === 'NodeStarted' && event.attempt > 1);
    expect(again.length).toBeLessThanOrEqual(1);
    const saved = events.flatMap((event) => (event.kind === 'CheckpointSaved' ? [event.iteration] : []));
    expect(Math.max(...saved)).toBeGreaterThan(600); // at most a third of the run is played again
  });
});

describe('A body that blocks its process', () => {
  it('delays the runs of that process, and no others', async () => {
    await start(2);
    const blocking = await cluster.request('blocking', { ms: 4_000 });
    await cluster.until(blocking, ({ kind }) => kind === 'NodeStarted');
    const others = await endAll(await requestMany(20, 'echo', { text: 'hello' }));
    const blocked = endedAt(await cluster.ended(blocking));
    expect(others.filter((at) => at < blocked).length).toBeGreaterThan(0);
    expect(others).toHaveLength(20);
  });
});

describe('Runs whose messages are lost', () => {
  it('are found standing still, woken, and end', async () => {
    await start(1, { CONCURRENCY: '1', STANDING_AFTER_SECONDS: '1' });
    const first = await cluster.request('treadmill', { steps: 1, tokensPerStep: 20, tokensPerSecond: 10 });
    await cluster.until(first, ({ kind }) => kind === 'TokenDelta');
    const runs = await requestMany(5, 'treadmill', { steps: 3, ledgerFile: 'lost' });
    for (const run of runs) await cluster.until(run, ({ kind }) => kind === 'RunStarted');
    await cluster.nats.request(`$JS.API.STREAM.PURGE.${STREAMS.tasks}`); // the first one is in the worker's hands
    await endAll([first]);
    await endAll(runs);
    const [orchestrator] = cluster.of('orchestrator');
    expect(orchestrator!.lines.join('\n')).toContain('stood still without a message in the queue: woken');
  });
});
