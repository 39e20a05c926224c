import { describe, expect, it } from '@jest/globals';
import type { RunEvent, RunRef } from '@millrace/contracts';
import { EMPTY_TAIL, RunLogConflict, type EventDraft, type RunLog } from '@millrace/ports';
import {
  aNewRun,
  appendAll,
  effect,
  type OpenedRunLog,
  requested,
  sequenceOf,
  take,
  takeUntil,
  token,
} from './log-fixtures.js';

const WRITERS = 64;
const EACH = 8;
const FOLLOWERS = 200;

export const concurrencyRules = (opened: () => OpenedRunLog): void => {
  describe('under concurrency', () => {
    it(`stores every event of ${WRITERS} writers once, without a gap in either counter`, async () => {
      const run = aNewRun();
      const logs = await Promise.all(Array.from({ length: 4 }, () => opened().another()));
      const drafts = Array.from({ length: WRITERS }, (_, writer) =>
        Array.from({ length: EACH }, (_, at) => (at % 4 === 3 ? effect(`${writer}.${at}`) : token(`${writer}.${at}`))),
      );
      await Promise.all(drafts.map((own, writer) => insist(logs[writer % logs.length]!, run, own)));
      const events = await take(opened().log.follow(run), WRITERS * EACH);
      expectGapless(events);
      expect((await opened().log.read(run)).events.length).toBeLessThanOrEqual(WRITERS * EACH);
      expect(events.map(({ eventId }) => eventId).sort()).toEqual(
        drafts
          .flat()
          .map(({ eventId }) => eventId)
          .sort(),
      );
    });

    it(`shows ${FOLLOWERS} followers that join under load every event once, in order`, async () => {
      const run = aNewRun();
      const last = 400;
      const { tail } = await appendAll(opened().log, run, [requested()]);
      const followers: Promise<RunEvent[]>[] = [];
      const logs = await Promise.all(Array.from({ length: 3 }, () => opened().another()));
      let at = tail;
      for (let position = 1; position <= last; position += 1) {
        ({ tail: at } = await opened().log.append(run, token(`t${position}`), at));
        if (position % 2 === 0) {
          const from = position % 3 === 0 ? { position: Math.floor(position / 2) } : EMPTY_TAIL;
          const log = logs[position % logs.length]!;
          followers.push(takeUntil(log.follow(run, from), (event) => event.position === last));
        }
      }
      const { events } = await opened().log.read(run);
      expect(events).toHaveLength(last + 1);
      const stories = await Promise.all(followers);
      expect(stories).toHaveLength(FOLLOWERS);
      for (const story of stories) expect(story).toEqual(events.slice(story[0]?.position));
    });
  });
};

/** Appends each draft, reading the tail again whenever somebody else was faster. */
async function insist(log: RunLog, run: RunRef, drafts: readonly EventDraft[]): Promise<void> {
  let tail = EMPTY_TAIL;
  for (const draft of drafts) {
    for (let stored = false; !stored;) {
      try {
        ({ tail } = await log.append(run, draft, tail));
        stored = true;
      } catch (error) {
        if (!(error instanceof RunLogConflict)) throw error;
        tail = await log.tail(run);
      }
    }
  }
}

function expectGapless(events: readonly RunEvent[]): void {
  expect(events.map(({ position }) => position)).toEqual(events.map((_, index) => index));
  const sequences = events.map(sequenceOf).filter((sequence) => sequence !== undefined);
  expect(sequences).toEqual(sequences.map((_, index) => index));
}
