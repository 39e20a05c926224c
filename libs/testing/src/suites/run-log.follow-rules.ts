import { describe, expect, it } from '@jest/globals';
import { EMPTY_TAIL } from '@millrace/ports';
import {
  aNewRun,
  appendAll,
  effect,
  type OpenedRunLog,
  requested,
  sequenceOf,
  started,
  take,
  token,
} from './log-fixtures.js';

export const followRules = (opened: () => OpenedRunLog): void => {
  describe('follow', () => {
    it('gives the history, then what is appended, by whomever', async () => {
      const run = aNewRun();
      const { tail } = await appendAll(opened().log, run, [requested(), started()]);
      const following = take(opened().log.follow(run), 5);
      const { tail: middle } = await appendAll(opened().log, run, [token('a')], tail);
      await appendAll(await opened().another(), run, [effect('e'), token('b')], middle);
      expect(await following).toEqual(await take((await opened().another()).follow(run), 5));
    });

    it('begins at a public sequence', async () => {
      const run = aNewRun();
      const { tail } = await appendAll(opened().log, run, [requested(), started(), effect('e'), token('a')]);
      const following = take(opened().log.follow(run, { sequence: 1 }), 2);
      await appendAll(opened().log, run, [token('b')], tail);
      expect((await following).map(sequenceOf)).toEqual([1, 2]);
    });

    it('waits for a place that is not there yet, and for a run nobody has requested yet', async () => {
      const run = aNewRun();
      const following = take(opened().log.follow(run, { sequence: 2 }), 2);
      const fromTheStart = take(opened().log.follow(run), 4);
      const { tail } = await appendAll(opened().log, run, [requested(), started(), token('a'), token('b')]);
      await appendAll(opened().log, run, [token('c')], tail);
      expect((await following).map(sequenceOf)).toEqual([2, 3]);
      expect((await fromTheStart).map(({ position }) => position)).toEqual([0, 1, 2, 3]);
    });

    it('goes on after a tail', async () => {
      const run = aNewRun();
      const { tail } = await appendAll(opened().log, run, [requested(), started()]);
      const following = take(opened().log.follow(run, tail), 1);
      await appendAll(opened().log, run, [token('a')], tail);
      expect((await following).map(({ kind }) => kind)).toEqual(['TokenDelta']);
    });

    it('ends when its signal aborts, before, during and after the history', async () => {
      const run = aNewRun();
      await appendAll(opened().log, run, [requested(), started()]);
      const seen: number[] = [];
      const stop = new AbortController();
      for await (const { position } of opened().log.follow(run, EMPTY_TAIL, stop.signal)) {
        seen.push(position);
        if (position === 1) setImmediate(() => stop.abort());
      }
      expect(seen).toEqual([0, 1]);
      for await (const event of opened().log.follow(run, EMPTY_TAIL, stop.signal)) throw new Error(event.kind);
    });
  });
};
