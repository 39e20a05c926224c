import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunEvent } from '@millrace/contracts';
import { join } from 'node:path';
import { Cluster, type Role } from './cluster.for-spec.js';
import { expectSoundStory } from './sound-story.for-spec.js';

const AGENT_MODULES = join(import.meta.dirname, '..', 'agents', 'workshop.mjs');

let cluster: Cluster;
beforeAll(async () => {
  cluster = await Cluster.start({ orchestrator: 1, 'node-workers': 1 }, { AGENT_MODULES });
});
afterAll(() => cluster.stop());

type Point = readonly [name: string, at: (event: RunEvent, all: readonly RunEvent[]) => boolean, ...roles: Role[]];

const isTask = (event: RunEvent, node: string): boolean => 'node' in event && event.node === node;

/** In the order a run comes by them. */
const POINTS: readonly Point[] = [
  ['after the request', ({ kind }) => kind === 'RunRequested', 'orchestrator'],
  ['after the dispatch', ({ kind }) => kind === 'RunStarted', 'orchestrator'],
  ['after a node was started', ({ kind }) => kind === 'NodeStarted', 'orchestrator', 'node-workers'],
  [
    'in the middle of its tokens',
    ({ kind }, all) => kind === 'TokenDelta' && count(all, 'TokenDelta') > 3,
    'node-workers',
  ],
  ['after a model has answered', ({ kind }) => kind === 'ModelResponded', 'node-workers'],
  ['after a node was finished', ({ kind }) => kind === 'NodeFinished', 'orchestrator', 'node-workers'],
  ['in the middle of a tool', ({ kind }) => kind === 'ToolRequested', 'node-workers'],
  ['after a tool has answered', ({ kind }) => kind === 'ToolFinished', 'node-workers'],
  ['while it waits for a person', ({ kind }) => kind === 'NodeSuspended', 'orchestrator', 'node-workers'],
  ['after it was answered', ({ kind }) => kind === 'InputProvided', 'orchestrator', 'node-workers'],
  ['after the last node', (event) => event.kind === 'NodeFinished' && isTask(event, 'report'), 'node-workers'],
  ['before the end', ({ kind }) => kind === 'GraphEnded', 'orchestrator', 'node-workers'],
];

const count = (events: readonly RunEvent[], kind: RunEvent['kind']): number =>
  events.filter((event) => event.kind === kind).length;

describe('A run whose processes are killed with -9 at every named point', () => {
  it('loses nothing, does nothing twice, and ends once', async () => {
    const run = await cluster.request('workshop', { ledger: 'points' });
    for (const [name, isSo, ...roles] of POINTS) {
      const seen = await cluster.until(run, isSo);
      await Promise.all(roles.flatMap((role) => cluster.of(role)).map((killed) => cluster.kill(killed)));
      await Promise.all(roles.map((role) => cluster.spawn(role)));
      if (name === 'while it waits for a person') {
        const asked = seen.find((event) => event.kind === 'InputRequested')!;
        const answer = { requestId: asked.requestId, response: { text: 'Ada' }, by: 'ada' };
        await cluster.handler.handle({ kind: 'ProvideInput', ...run, ...answer });
        await expect(cluster.handler.handle({ kind: 'ProvideInput', ...run, ...answer })).rejects.toMatchObject({
          code: 'INPUT_ALREADY_ANSWERED',
        });
      }
    }
    const events = await cluster.ended(run);
    expectSoundStory(events);
    expect(events.at(-1)).toMatchObject({
      kind: 'RunFinished',
      output: { text: 'one two three four five six seven eight: a wheel for Ada' },
    });
    const ledger = cluster.ledger('points');
    // The one call whose worker died before it could say so may have been made twice, under the same key.
    expect(new Set(ledger)).toEqual(new Set(['thought', 'made 2/make#lathe-1', 'reported']));
    expect(ledger.filter((line) => line !== 'thought')).toHaveLength(2);
  });
});
