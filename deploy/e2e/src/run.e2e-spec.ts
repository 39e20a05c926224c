import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Cluster } from './cluster.for-spec.js';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await Cluster.start({ orchestrator: 1, 'node-workers': 2 });
});
afterAll(() => cluster.stop());

describe('A run on real processes', () => {
  it('of the echo agent streams what it was told and ends', async () => {
    const run = await cluster.request('echo', { text: 'hello brave new world' });
    const events = await cluster.ended(run);
    const text = events.flatMap((event) => (event.kind === 'TokenDelta' ? [event.text] : [])).join('');
    expect(text).toBe('hello brave new world');
    expect(events.at(-1)).toMatchObject({ kind: 'RunFinished', output: { text: 'hello brave new world' } });
  });
});
