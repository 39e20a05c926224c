import { describe, expect, it } from '@jest/globals';
import { RunId } from '@millrace/contracts';
import { aRunRef } from '@millrace/testing';
import { CountingEventIds } from '@millrace/adapter-memory';
import { RunRedrive } from './run-redrive.js';
import { WorkWorld } from './work-world.for-spec.js';

const another = RunId.parse('01JD000000000000000000000R');
const redriveOf = ({ log, clock }: WorkWorld) =>
  new RunRedrive({ log, clock, ids: new CountingEventIds('01JF') }, () => another);

describe('Redrive', () => {
  it('asks again for what failed, linked to it, and leaves the failed run as it is', async () => {
    const world = new WorkWorld({ work: () => Promise.reject(new TypeError('a bug')) });
    await world.start();
    const letter = { data: new TextEncoder().encode(JSON.stringify(world.queue.waiting[0])) };
    await world.work();
    const { failed, run } = await redriveOf(world).redriveLetter(letter, 'ada', 'the bug is fixed');
    expect([failed, run]).toEqual([aRunRef, { ...aRunRef, runId: another }]);
    expect((await world.kinds()).slice(-2)).toEqual(['RunFailed', 'RetryRequested']);
    const [requested] = (await world.log.read(run)).events;
    const [first] = await world.events();
    expect(requested).toMatchObject({ kind: 'RunRequested', retryOf: aRunRef.runId });
    expect(requested).toHaveProperty('input', (first as { input: unknown }).input);
  });

  it('is refused for a run that goes on, and for one nobody asked for', async () => {
    const world = new WorkWorld({ work: async () => 'fine' });
    await expect(redriveOf(world).redrive(aRunRef, 'ada')).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
    await world.start();
    await expect(redriveOf(world).redrive(aRunRef, 'ada')).rejects.toMatchObject({ code: 'RUN_NOT_ENDED' });
    expect((await world.log.read({ ...aRunRef, runId: another })).events).toEqual([]);
  });
});
