import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EventInvalid, subjects } from '@millrace/contracts';
import { EMPTY_TAIL, StoreFull, type Tail } from '@millrace/ports';
import { malformedEvents } from '@millrace/testing';
import { aRun, SpecNats, token } from './spec-nats.for-spec.js';

let spec: SpecNats;
beforeAll(async () => {
  spec = await SpecNats.start();
});
afterAll(() => spec.stop());

describe('What is stored and is no event', () => {
  it('is refused by its sort, a thousand times, and the log goes on', async () => {
    const log = await spec.openLog();
    const outcomes = await Promise.all(
      malformedEvents(1_000, 7).map(async ({ bytes }) => {
        const run = aRun();
        await spec.nats.request(subjects.event({ ...run, kind: 'TokenDelta' }), bytes);
        return log.read(run).then(
          () => 'read',
          (error: unknown) => error,
        );
      }),
    );
    expect(outcomes.filter((outcome) => !(outcome instanceof EventInvalid))).toEqual([]);
    const run = aRun();
    await log.append(run, token('fine'), EMPTY_TAIL);
    expect((await log.read(run)).events).toHaveLength(1);
  });

  it('does not pass as an event of another run', async () => {
    const log = await spec.openLog();
    const run = aRun();
    const { event } = await log.append(run, token('mine'), EMPTY_TAIL);
    const other = aRun();
    await spec.nats.request(subjects.event({ ...other, kind: 'TokenDelta' }), JSON.stringify(event));
    await expect(log.read(other)).rejects.toBeInstanceOf(EventInvalid);
  });
});

describe('A log without room', () => {
  it('answers every append with an error and is still read', async () => {
    const small = await SpecNats.start({ maxLogBytes: 64 * 1024 });
    try {
      const log = await small.openLog();
      const run = aRun();
      let tail: Tail = EMPTY_TAIL;
      const fill = async () => {
        for (;;) ({ tail } = await log.append(run, token('x'.repeat(4_000)), tail));
      };
      await expect(fill()).rejects.toBeInstanceOf(StoreFull);
      await expect(log.append(run, token('more'.repeat(1_000)), tail)).rejects.toBeInstanceOf(StoreFull);
      expect((await log.read(run)).events).toHaveLength(tail.position + 1);
    } finally {
      await small.stop();
    }
  });
});
