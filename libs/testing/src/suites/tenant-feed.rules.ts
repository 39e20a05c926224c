import { describe, expect, it } from '@jest/globals';
import { RunId, type RunRef, TenantId } from '@millrace/contracts';
import type { FeedEvent, FeedWanted, Platform } from '@millrace/ports';
import { ulid } from 'ulid';
import { aNewRun, appendAll, requested, started, token } from './log-fixtures.js';
import { type Opened, until } from './platform-fixtures.js';

export const tenantFeedRules = (opened: Opened): void => {
  const aRunOf = (tenantId: TenantId): RunRef => ({ tenantId, runId: RunId.parse(ulid()) });
  const store = async (run: RunRef, tokens = 1) =>
    appendAll(opened().platform.runs, run, [
      requested(),
      started(),
      ...Array.from({ length: tokens }, (_, at) => token(`${at}`)),
    ]);

  describe("a tenant's feed", () => {
    it('gives what is wanted of all its runs and no others, in stored order, page by page', async () => {
      const tenantId = TenantId.parse(ulid());
      const wanted: FeedWanted = { tenantId, kinds: ['RunRequested', 'RunStarted'] };
      for (let at = 0; at < 5; at += 1) {
        await store(aRunOf(tenantId), 3);
        await store(aNewRun());
      }
      const { tenantFeed } = (await opened().another()).platform;
      const { events, upTo, hasMore } = await tenantFeed.page(wanted, 0, 100);
      expect(events.map(({ event }) => event.kind)).toEqual(Array(5).fill(['RunRequested', 'RunStarted']).flat());
      expect(events.every(({ event }) => event.tenantId === tenantId)).toBe(true);
      expect(hasMore).toBe(false);
      expect(upTo).toBe(await tenantFeed.end(tenantId));
      expect(await allOf({ tenantFeed }, wanted, 3)).toEqual(events);
      expect(await tenantFeed.page(wanted, upTo, 100)).toMatchObject({ events: [], hasMore: false });
    });

    it('has whatever was stored when it was asked', async () => {
      const tenantId = TenantId.parse(ulid());
      const { tenantFeed } = (await opened().another()).platform;
      let after = 0;
      for (let at = 0; at < 20; at += 1) {
        const { tail } = await store(aRunOf(tenantId), 0);
        const { events, upTo } = await tenantFeed.page({ tenantId, kinds: ['RunStarted'] }, after, 10);
        expect(events.map(({ streamSequence }) => streamSequence)).toEqual([tail.streamSequence]);
        after = upTo;
      }
    });

    it('goes on behind its end with what is stored from then on, whatever others store', async () => {
      const tenantId = TenantId.parse(ulid());
      const wanted: FeedWanted = { tenantId, kinds: ['RunStarted'] };
      await store(aRunOf(tenantId));
      const { tenantFeed } = (await opened().another()).platform;
      let after = await tenantFeed.end(tenantId);
      for (let at = 0; at < 3; at += 1) {
        await store(aNewRun());
        const quiet = await tenantFeed.page(wanted, after, 10);
        expect(quiet).toMatchObject({ events: [], hasMore: false });
        const run = aRunOf(tenantId);
        await store(run);
        const { events, upTo } = await tenantFeed.page(wanted, quiet.upTo, 10);
        expect(events.map(({ event }) => event.runId)).toEqual([run.runId]);
        after = upTo;
      }
    });

    it('rings for what is wanted', async () => {
      const tenantId = TenantId.parse(ulid());
      const { tenantFeed } = opened().platform;
      let rings = 0;
      const stop = await tenantFeed.listen({ tenantId, kinds: ['RunStarted'] }, () => (rings += 1));
      await store(aRunOf(tenantId));
      await until(() => rings > 0);
      stop();
    });

    it('of a tenant nobody knows is empty', async () => {
      const tenantId = TenantId.parse(ulid());
      const { tenantFeed } = opened().platform;
      const wanted: FeedWanted = { tenantId, kinds: ['RunStarted'] };
      const end = await tenantFeed.end(tenantId);
      for (const after of [0, end]) {
        expect(await tenantFeed.page(wanted, after, 10)).toMatchObject({ events: [], upTo: end, hasMore: false });
      }
    });
  });
};

const allOf = async ({ tenantFeed }: Pick<Platform, 'tenantFeed'>, wanted: FeedWanted, limit: number) => {
  const all: FeedEvent[] = [];
  for (let after = 0, more = true; more;) {
    const { events, upTo, hasMore } = await tenantFeed.page(wanted, after, limit);
    expect(events.length).toBeLessThanOrEqual(limit);
    all.push(...events);
    [after, more] = [upTo, hasMore];
  }
  return all;
};
