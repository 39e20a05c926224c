import { beforeAll, describe, expect, it } from '@jest/globals';
import { RunId, TenantId, type RunEvent } from '@millrace/contracts';
import { EMPTY_TAIL, type Tail } from '@millrace/ports';
import { ulid } from 'ulid';
import {
  aNewRun,
  appendAll,
  appendSurely,
  effect,
  type OpenedRunLog,
  requested,
  sequenceOf,
  started,
  token,
} from './log-fixtures.js';

export const readRules = (opened: () => OpenedRunLog): void => {
  describe('read', () => {
    it('finds nothing of a run nobody has requested', async () => {
      expect(await opened().log.read(aNewRun())).toEqual({ events: [], tail: EMPTY_TAIL, hasMore: false });
      expect(await opened().log.read(aNewRun(), { sequence: 300 })).toMatchObject({ events: [], hasMore: false });
      expect(await opened().log.tail(aNewRun())).toEqual(EMPTY_TAIL);
    });

    it('keeps runs apart, also the same run id of two tenants', async () => {
      const runId = RunId.parse(ulid());
      const [one, other] = [ulid(), ulid()].map((id) => ({ tenantId: TenantId.parse(id), runId }));
      await appendAll(opened().log, one!, [requested(), started()]);
      await appendAll(opened().log, other!, [requested()]);
      expect((await opened().log.read(one!)).events.map(({ tenantId }) => tenantId)).toEqual([
        one!.tenantId,
        one!.tenantId,
      ]);
      expect((await opened().log.read(other!)).events).toHaveLength(1);
    });

    it('goes on after a tail, page by page, to the same events', async () => {
      const run = aNewRun();
      const { events, tail } = await appendAll(opened().log, run, [
        requested(),
        started(),
        token('a'),
        effect('e'),
        token('b'),
      ]);
      const paged: RunEvent[] = [];
      let at: Tail = EMPTY_TAIL;
      for (let hasMore = true; hasMore;) {
        const page = await opened().log.read(run, at, { limit: 2 });
        paged.push(...page.events);
        ({ tail: at, hasMore } = page);
      }
      expect(paged).toEqual(events);
      expect(at).toEqual(tail);
      expect(await opened().log.read(run, tail)).toEqual({ events: [], tail, hasMore: false });
    });

    it('says at the limit whether there is more', async () => {
      const run = aNewRun();
      await appendAll(opened().log, run, [requested(), started(), token('a')]);
      expect((await opened().log.read(run, EMPTY_TAIL, { limit: 2 })).hasMore).toBe(true);
      expect((await opened().log.read(run, EMPTY_TAIL, { limit: 3 })).hasMore).toBe(false);
    });

    it('knows the last sequence from the last event alone, also when that one is internal', async () => {
      const run = aNewRun();
      const { tail } = await appendAll(opened().log, run, [requested(), started(), token('a'), effect('e')]);
      expect(await opened().log.tail(run)).toEqual(tail);
      expect(tail).toMatchObject({ position: 3, sequence: 1 });
    });

    describe('of a long run among others', () => {
      const run = aNewRun();
      let events: RunEvent[];
      let tail: Tail;
      beforeAll(async () => {
        const other = aNewRun();
        let otherTail = EMPTY_TAIL;
        ({ events, tail } = await appendAll(opened().log, run, [requested(), started()]));
        for (let at = 0; at < 1_200; at += 1) {
          // In bursts, and every third event internal: neither counter is proportional to the place in the stream.
          const draft = at % 3 === 0 ? effect(`e${at}`) : token(`t${at}`);
          const appended = await appendSurely(opened().log, run, draft, tail);
          events.push(appended.event);
          ({ tail } = appended);
          if (at < 100) ({ tail: otherTail } = await appendSurely(opened().log, other, token(`o${at}`), otherTail));
        }
      });

      it.each([0, 1, 2, 129, 400, 600, 799])('begins at public sequence %i', async (sequence) => {
        const page = await opened().log.read(run, { sequence }, { limit: 5 });
        const start = events.findIndex((event) => sequenceOf(event) === sequence);
        expect(page.events).toEqual(events.slice(start, start + 5));
      });

      it.each([0, 1, 130, 700, 1_201])('begins at position %i', async (position) => {
        const page = await opened().log.read(run, { position }, { limit: 5 });
        expect(page.events).toEqual(events.slice(position, position + 5));
      });

      it('reads all of it, and nothing past its end', async () => {
        expect(await opened().log.read(run)).toEqual({ events, tail, hasMore: false });
        expect((await opened().log.read(run, { sequence: tail.sequence + 1 })).events).toEqual([]);
        expect((await opened().log.read(run, { position: tail.position + 500 })).events).toEqual([]);
      });
    });
  });
};
