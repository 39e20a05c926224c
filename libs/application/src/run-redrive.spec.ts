import { describe, expect, it } from '@jest/globals';
import { RunId } from '@millrace/contracts';
import { aRunRef } from '@millrace/testing';
import { RunRedrive } from './run-redrive.js';
import { WorkWorld } from './work-world.for-spec.js';

const another = RunId.parse('01JD000000000000000000000R');
const redriveOf = ({ ports }: WorkWorld) => new RunRedrive(ports, () => another);

describe('Redrive', () => {
  it('asks again for what failed, linked to it, and leaves the failed run as it is', async () => {
    const world = new WorkWorld({ work: () => Promise.reject(new TypeError('a bug')) });
    await world.start();
    await world.advance(10_000);
    const [letter, ...more] = await world.platform.deadLetters.list(10);
    expect([letter?.reason, more]).toEqual(['NON_RETRYABLE_ERROR: a bug', []]);
    const { failed, run } = await redriveOf(world).redriveLetter(letter!, 'ada', 'the bug is fixed');
    expect([failed, run]).toEqual([aRunRef, { ...aRunRef, runId: another }]);
    expect((await world.kinds()).slice(-2)).toEqual(['RunFailed', 'RetryRequested']);
    const [requested] = (await world.platform.runs.read(run)).events;
    const [first] = await world.events();
    expect(requested).toMatchObject({ kind: 'RunRequested', retryOf: aRunRef.runId });
    expect(requested).toHaveProperty('input', (first as { input: unknown }).input);
  });

  it('is refused for a run that goes on, and for one nobody asked for', async () => {
    const world = new WorkWorld({ work: async () => 'fine' }, { workers: 0 });
    await expect(redriveOf(world).redrive(aRunRef, 'ada')).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
    await world.start();
    await expect(redriveOf(world).redrive(aRunRef, 'ada')).rejects.toMatchObject({ code: 'RUN_NOT_ENDED' });
    expect((await world.platform.runs.read({ ...aRunRef, runId: another })).events).toEqual([]);
  });
});
