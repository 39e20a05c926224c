import { describe, expect, it } from '@jest/globals';
import { RunId, TenantId } from '@millrace/contracts';
import { StoreUnavailable } from '@millrace/ports';
import { ulid } from 'ulid';
import { appendAll, requested, token } from './log-fixtures.js';
import type { Opened } from './platform-fixtures.js';

export const runRequestsRules = (opened: Opened): void => {
  describe('requests', () => {
    it('of one tenant come in stored order, page by page, whatever lies between them', async () => {
      const tenants = [TenantId.parse(ulid()), TenantId.parse(ulid())];
      const asked: { tenantId: TenantId; runId: RunId; streamSequence: number }[] = [];
      for (let at = 0; at < 10; at += 1) {
        const run = { tenantId: tenants[at % 2]!, runId: RunId.parse(ulid()) };
        const { tail } = await appendAll(opened().platform.runs, run, [requested()]);
        await appendAll(opened().platform.runs, run, [token('between')], tail);
        asked.push({ ...run, streamSequence: tail.streamSequence });
      }
      const own = asked.filter(({ tenantId }) => tenantId === tenants[0]);
      const mine = own.map(({ runId, streamSequence }) => ({ runId, streamSequence }));
      const last = mine.at(-1)!.streamSequence;
      const { requests } = (await opened().another()).platform;
      expect(await requests.page(tenants[0]!, 1, 10, last)).toEqual(mine);
      expect((await requests.page(tenants[0]!, 1, 2, last)).slice(0, 2)).toEqual(mine.slice(0, 2));
      expect(await requests.page(tenants[0]!, mine[1]!.streamSequence + 1, 10, last)).toEqual(mine.slice(2));
      expect(await requests.page(TenantId.parse(ulid()), 1, 10, 0)).toEqual([]);
    });

    it('are given by their places, and none of another tenant', async () => {
      const [tenantId, other] = [TenantId.parse(ulid()), TenantId.parse(ulid())];
      const asked: { tenantId: TenantId; runId: RunId; streamSequence: number }[] = [];
      for (let at = 0; at < 20; at += 1) {
        const run = { tenantId: at % 5 === 4 ? other : tenantId, runId: RunId.parse(ulid()) };
        const { tail } = await appendAll(opened().platform.runs, run, [requested()]);
        const { tail: end } = await appendAll(opened().platform.runs, run, [token('behind')], tail);
        asked.push({ ...run, streamSequence: tail.streamSequence });
        if (at === 9) asked.push({ ...run, tenantId: other, streamSequence: end.streamSequence }); // no request
      }
      const { requests } = (await opened().another()).platform;
      const places = asked.map(({ streamSequence }) => streamSequence);
      const own = asked.filter((run) => run.tenantId === tenantId);
      const mine = own.map(({ runId, streamSequence }) => ({ runId, streamSequence }));
      expect(await requests.at(tenantId, places)).toEqual(mine);
      expect(await requests.at(tenantId, [places[13]!, places[0]!])).toEqual([
        expect.objectContaining({ streamSequence: places[13] }),
        mine[0],
      ]);
      expect(await requests.at(tenantId, [])).toEqual([]);
    });

    it('at a place that is not there in time are not given as none', async () => {
      const { requests } = opened().platform;
      const asking = requests.at(TenantId.parse(ulid()), [1_000_000_000]);
      await expect(asking).rejects.toBeInstanceOf(StoreUnavailable);
    });

    it('are none left out up to the place that is named', async () => {
      const tenantId = TenantId.parse(ulid());
      const { requests } = (await opened().another()).platform;
      for (let count = 1; count <= 20; count += 1) {
        const run = { tenantId, runId: RunId.parse(ulid()) };
        const { tail } = await appendAll(opened().platform.runs, run, [requested()]);
        expect(await requests.page(tenantId, 1, 100, tail.streamSequence)).toHaveLength(count);
      }
    });

    it('that are not there in time are not given as none', async () => {
      const { requests } = opened().platform;
      const asking = requests.page(TenantId.parse(ulid()), 1, 10, 1_000_000_000);
      await expect(asking).rejects.toBeInstanceOf(StoreUnavailable);
    });
  });
};
