import { describe, expect, it } from '@jest/globals';
import { FACT_FIXTURES, MAX_INLINE_BYTES, type RunEventKind, type RunRef } from '@millrace/contracts';
import { EMPTY_TAIL, type Platform, type StoredEvent, type StorePlace } from '@millrace/ports';
import { aNewRun, appendAll, draftOf, requested, started, token } from './log-fixtures.js';
import { type Opened, until } from './platform-fixtures.js';
import { aThread } from './thread-log.rules.js';

export const eventFeedRules = (opened: Opened): void => {
  /** Where the log ends now: what tests before have stored is no concern of this one. */
  const end = async (): Promise<StorePlace> =>
    (await appendAll(opened().platform.runs, aNewRun(), [requested()])).tail.streamSequence;
  const fill = async (run: RunRef, count: number) => {
    const drafts = Array.from({ length: count }, (_, at) => token(`${at}`));
    return (await appendAll(opened().platform.runs, run, drafts)).events;
  };

  describe('the feed', () => {
    it('gives everything from a place on, in stored order and in batches, then what comes', async () => {
      const from = await end();
      const [one, other] = await Promise.all([fill(aNewRun(), 60), fill(aNewRun(), 60)]);
      const reading = follow(opened().platform, from, { maxBatch: 25 });
      await until(() => reading.seen.length === 120);
      const late = await fill(aNewRun(), 5);
      await until(() => reading.seen.length === 125);
      await reading.stop();
      const places = reading.seen.map(({ streamSequence }) => streamSequence);
      expect(places).toEqual(places.toSorted((left, right) => left - right));
      const ids = reading.seen.map((stored) => 'event' in stored && stored.event.eventId);
      expect(ids.toSorted()).toEqual([...one, ...other, ...late].map(({ eventId }) => eventId).toSorted());
      expect(Math.max(...reading.sizes)).toBeLessThanOrEqual(25);
      expect(Math.min(...reading.sizes)).toBeGreaterThan(0);
    });

    it('leaves out kinds nobody asked for', async () => {
      const from = await end();
      const exclude = ['TokenDelta'] as const;
      const reading = follow(opened().platform, from, { exclude });
      await appendAll(opened().platform.runs, aNewRun(), [requested(), token('a'), token('b'), started()]);
      await until(() => reading.seen.length === 2);
      await reading.stop();
      expect(reading.seen.map((stored) => 'event' in stored && stored.event.kind)).toEqual([
        'RunRequested',
        'RunStarted',
      ]);
      const { count, oldest } = await opened().platform.feed.backlog({
        afterStreamSequence: from,
        exclude: [...exclude],
      });
      expect([count, oldest?.streamSequence]).toEqual([2, reading.seen[0]?.streamSequence]);
    });

    it('knows how much there is behind a place, and where it begins', async () => {
      const from = await end();
      const { feed, runs } = opened().platform;
      expect(await feed.backlog({ afterStreamSequence: from })).toEqual({ count: 0, oldest: undefined });
      const { event, tail } = await runs.append(aNewRun(), requested(), EMPTY_TAIL);
      await fill(aNewRun(), 4);
      const { count, oldest } = await feed.backlog({ afterStreamSequence: from });
      expect([count, oldest?.streamSequence]).toEqual([5, tail.streamSequence]);
      expect(new Date(oldest!.storedAt).getTime()).not.toBeNaN();
      expect(event.kind).toBe('RunRequested');
    });

    it('gives threads and large payloads like any other event', async () => {
      const from = await end();
      const { runs, threads } = opened().platform;
      const output = 'y'.repeat(2 * MAX_INLINE_BYTES);
      const { event } = await runs.append(aNewRun(), draftOf({ ...FACT_FIXTURES.NodeFinished, output }), EMPTY_TAIL);
      const thread = await threads.create(aThread());
      const reading = follow((await opened().another()).platform, from);
      await until(() => reading.seen.length === 2);
      await reading.stop();
      expect(reading.seen).toMatchObject([{ event }, { event: thread }]);
    });

    it('ends when its signal aborts, also before it began', async () => {
      const reading = follow(opened().platform, await end());
      await reading.stop();
      const signal = AbortSignal.abort();
      for await (const batch of opened().platform.feed.batches({ afterStreamSequence: 0, signal })) {
        throw new Error(`${batch.length} events`);
      }
    });
  });
};

interface Wanted {
  readonly exclude?: readonly RunEventKind[];
  readonly maxBatch?: number;
}

const follow = ({ feed }: Platform, afterStreamSequence: StorePlace, wanted: Wanted = {}) => {
  const stop = new AbortController();
  const seen: StoredEvent[] = [];
  const sizes: number[] = [];
  const ended = (async () => {
    for await (const batch of feed.batches({ afterStreamSequence, signal: stop.signal, ...wanted })) {
      sizes.push(batch.length);
      seen.push(...batch);
    }
  })();
  const stopped = (): Promise<void> => {
    stop.abort();
    return ended;
  };
  return { seen, sizes, stop: stopped };
};
