import { describe, expect, it } from '@jest/globals';
import type { RunRef } from '@millrace/contracts';
import { ada, bob, crashingAfter, order, refOf, RetryWorld, straying } from './retry-world.for-spec.js';
import { runIdOfKey } from './idempotent-id.js';

const SEEDS = Array.from({ length: 60 }, (_, at) => at + 1);

/** Both at once; resolves with the indices of those that were answered with a run. */
const winnersOf = async (...asked: Promise<unknown>[]): Promise<number[]> => {
  const settled = await Promise.allSettled(asked);
  for (const one of settled) {
    if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'RUN_EXISTS' });
  }
  return settled.flatMap(({ status }, at) => (status === 'fulfilled' ? [at] : []));
};

const wishesIn = async (world: RetryWorld, ref: RunRef): Promise<number> =>
  (await world.kinds(ref)).filter((kind) => kind === 'RetryRequested').length;

const requestOf = async (world: RetryWorld, ref: RunRef) => (await world.events(ref))[0];

describe('One key for two things at the same time', () => {
  it('retries one of two runs and leaves the other as if nobody had asked', async () => {
    const won = new Set<number>();
    for (const seed of SEEDS) {
      const world = new RetryWorld();
      const runs = [await world.failed({ maxRetries: 1 }), await world.failed({ maxRetries: 1 })] as const;
      const asked = runs.map(({ runId }, at) =>
        world.retriesOn(straying(2 * seed + at, world.log)).retry(ada, runId, 'again', 'key'),
      );
      const winners = await winnersOf(...asked);
      expect(winners).toHaveLength(1);
      won.add(winners[0]!);
      const [winner, loser] = winners[0] === 0 ? runs : [runs[1], runs[0]];
      const next = refOf(await runIdOfKey(ada.tenantId, 'key'));
      expect(await requestOf(world, next)).toMatchObject({ retryOf: winner.runId });
      expect([await wishesIn(world, winner), await wishesIn(world, loser)]).toEqual([1, 0]);
      expect(await world.nextOf(loser)).toBeDefined(); // it is still retried by itself
    }
    expect(won.size).toBe(2);
  });

  it('is a retry or another run, and never both', async () => {
    const won = new Set<number>();
    for (const seed of SEEDS) {
      const world = new RetryWorld();
      const old = await world.failed({ maxRetries: 1 });
      const winners = await winnersOf(
        world.retriesOn(straying(seed, world.log)).retry(ada, old.runId, 'again', 'key'),
        world.ordersOn(straying(7 * seed, world.log, 60)).start(ada, order, 'key'), // it has less to do
      );
      expect(winners).toHaveLength(1);
      won.add(winners[0]!);
      const isRetry = winners[0] === 0;
      const next = refOf(await runIdOfKey(ada.tenantId, 'key'));
      expect(await requestOf(world, next)).toMatchObject(isRetry ? { retryOf: old.runId } : { idempotencyKey: 'key' });
      const improver = await world.kinds(await world.improverOf(next));
      expect(isRetry ? [['RunRequested']] : [[], ['RunRequested', 'RunCancelRequested']]).toContainEqual(improver);
      expect(await wishesIn(world, old)).toBe(isRetry ? 1 : 0);
      if (!isRetry) expect(await world.nextOf(old)).toBeDefined();
    }
    expect(won.size).toBe(2);
  });

  it('is of one person, with one note', async () => {
    for (const seed of SEEDS) {
      const world = new RetryWorld();
      const old = await world.failed();
      const asking = (at: number) => world.retriesOn(straying(3 * seed + at, world.log));
      const winners = await winnersOf(
        asking(0).retry(ada, old.runId, 'again', 'key'),
        asking(1).retry(bob, old.runId, 'again', 'key'),
        asking(2).retry(ada, old.runId, 'otherwise', 'key'),
      );
      expect([winners.length, await wishesIn(world, old)]).toEqual([1, 1]);
    }
  });
});

describe('A retry with a key', () => {
  const MADE = ['RunRequested', 'ImprovementProvided'];

  it.each(['asks again with the key', 'never comes back'])(
    'is completed after a crash at any point, when whoever asked %s',
    async (client) => {
      for (let appends = 1; appends < 4; appends += 1) {
        const world = new RetryWorld();
        const old = await world.failed();
        const crashing = world.retriesOn(crashingAfter(appends, world.log));
        await crashing.retry(ada, old.runId, 'again', 'key').catch(() => {});
        if (client === 'asks again with the key') await world.retries.retry(ada, old.runId, 'again', 'key');
        const next = refOf(await runIdOfKey(ada.tenantId, 'key'));
        await world.finish(await world.improverOf(next), { text: 'try harder' });
        await world.retries.follow(old);
        expect((await world.events(old)).at(-1)).toMatchObject({ note: 'again', by: 'ada', retryRunId: next.runId });
        expect([await wishesIn(world, old), await world.kinds(next)]).toEqual([1, MADE]);
      }
    },
  );

  it('makes nothing when the run has not ended, or is not there', async () => {
    const world = new RetryWorld();
    const { runId } = refOf(await world.ordersOn(world.log).start(ada, order));
    await expect(world.retries.retry(ada, runId, 'again', 'key')).rejects.toMatchObject({ code: 'RUN_NOT_ENDED' });
    const missing = world.retries.retry(ada, world.newRunId(), 'again', 'key');
    await expect(missing).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
    const next = refOf(await runIdOfKey(ada.tenantId, 'key'));
    expect([await world.events(next), await world.events(await world.improverOf(next))]).toEqual([[], []]);
  });

  it('leaves the key to another run that took it before the new one was there', async () => {
    const world = new RetryWorld();
    const old = await world.failed();
    const next = refOf(await runIdOfKey(ada.tenantId, 'key'));
    await world
      .retriesOn(crashingAfter(1, world.log))
      .retry(ada, old.runId, 'again', 'key')
      .catch(() => {});
    await world.ordersOn(world.log).start(ada, order, 'key'); // before the new run was requested
    await world.finish(await world.improverOf(next), { text: 'try harder' });
    expect([await world.kinds(next), await wishesIn(world, old)]).toEqual([['RunRequested'], 0]);
    const again = world.retries.retry(ada, old.runId, 'again', 'key');
    await expect(again).rejects.toMatchObject({ code: 'RUN_EXISTS' });
  });
});
