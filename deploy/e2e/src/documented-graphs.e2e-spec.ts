import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunEvent, RunRef } from '@millrace/contracts';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { Cluster } from './cluster.for-spec.js';
import { expectSoundStory } from './sound-story.for-spec.js';

const AGENTS = join(import.meta.dirname, '..', 'agents');

/** What the same graphs give in one process, without us. */
const inProcess = JSON.parse(
  execFileSync(process.execPath, [join(AGENTS, 'run-in-process.mjs')], {
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: '' },
  }),
) as Record<string, unknown>;

let cluster: Cluster;
beforeAll(async () => {
  cluster = await Cluster.start(
    { orchestrator: 1, 'node-workers': 2 },
    { AGENT_MODULES: join(AGENTS, 'documented.mjs'), CONCURRENCY: '1' },
  );
});
afterAll(() => cluster.stop());

const outputOf = (events: readonly RunEvent[]): unknown => {
  expectSoundStory(events);
  const end = events.at(-1);
  return end?.kind === 'RunFinished' ? end.output : end;
};

const answer = async (run: RunRef, value: unknown): Promise<void> => {
  const asked = await cluster.until(run, ({ kind }) => kind === 'InputRequested');
  const { requestId } = asked.at(-1) as Extract<RunEvent, { kind: 'InputRequested' }>;
  await cluster.handler.handle({ kind: 'ProvideInput', ...run, requestId, response: { text: '', value }, by: 'ada' });
};

describe('A graph from LangGraph documentation, unchanged, on two workers', () => {
  it.each([
    ['react', {}],
    ['map-reduce', { topic: 'animals' }],
    ['subgraph', {}],
  ])('gives what it gives in one process: %s', async (agent, input) => {
    const run = await cluster.request(agent, input);
    expect(outputOf(await cluster.ended(run))).toEqual(inProcess[agent]);
  });

  it.each(['yes', 'no'])('asks a person and goes on with the answer: %s', async (verdict) => {
    const run = await cluster.request('review', {});
    await answer(run, verdict);
    expect(outputOf(await cluster.ended(run))).toEqual(inProcess[`review ${verdict}`]);
  });
});
