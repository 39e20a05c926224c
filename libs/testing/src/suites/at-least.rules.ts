import { describe, expect, it } from '@jest/globals';
import { EMPTY_TAIL, StoreUnavailable } from '@millrace/ports';
import { aNewRun, appendAll, appendSurely, requested, started, token } from './log-fixtures.js';
import type { Opened } from './platform-fixtures.js';

/** A read that names a place never answers from before it, whichever replica answers. */
export const atLeastRules = (opened: Opened): void => {
  describe('a read of a run that was told of an event', () => {
    it('has that event, by its place', async () => {
      const { platform: reader } = await opened().another();
      const run = aNewRun();
      let { tail } = await appendAll(opened().platform.runs, run, [requested(), started()]);
      for (let at = 0; at < 40; at += 1) {
        ({ tail } = await appendSurely(opened().platform.runs, run, token(`${at}`), tail));
        const atLeast = tail.streamSequence;
        const [page, end] = await Promise.all([
          reader.runs.read(run, EMPTY_TAIL, { atLeast }),
          reader.runs.tail(run, { atLeast }),
        ]);
        expect([page.tail.position, end.position]).toEqual([tail.position, tail.position]);
      }
    });

    it('has all that was stored when it began, when it asks for now', async () => {
      const { platform: reader } = await opened().another();
      const run = aNewRun();
      let { tail } = await appendAll(opened().platform.runs, run, [requested()]);
      for (let at = 0; at < 40; at += 1) {
        ({ tail } = await appendSurely(opened().platform.runs, run, token(`${at}`), tail));
        const { events } = await reader.runs.read(run, EMPTY_TAIL, { atLeast: 'now' });
        expect(events).toHaveLength(tail.position + 1);
        expect(await reader.runs.tail(run, { atLeast: 'now' })).toEqual(tail);
      }
      expect((await reader.runs.read(aNewRun(), EMPTY_TAIL, { atLeast: 'now' })).events).toEqual([]);
    });

    it('has what its own process appended without being told', async () => {
      const { platform: writer } = await opened().another();
      const run = aNewRun();
      let tail = EMPTY_TAIL;
      for (let at = 0; at < 20; at += 1) {
        ({ tail } = await appendSurely(writer.runs, run, at === 0 ? requested() : token(`${at}`), tail));
        expect((await writer.runs.read(run)).tail).toEqual(tail);
      }
    });

    it('is told that the store is not available when nothing of the run is there in time', async () => {
      const run = aNewRun();
      const { tail } = await appendAll(opened().platform.runs, run, [requested()]);
      const atLeast = tail.streamSequence + 1_000_000;
      const { runs } = opened().platform;
      await Promise.all([
        expect(runs.read(run, EMPTY_TAIL, { atLeast })).rejects.toBeInstanceOf(StoreUnavailable),
        expect(runs.tail(run, { atLeast })).rejects.toBeInstanceOf(StoreUnavailable),
      ]);
    });
  });
};
