import { describe, expect, it } from '@jest/globals';
import { isPublic, type RunEvent } from '@millrace/contracts';
import { aRunRef, playRun, raceRun, stored } from '@millrace/testing';
import fc from 'fast-check';
import { LiveStory, type RunStory, storyOf } from './run-story.js';
import { foldRunRows } from './run-views.js';

const numbers = fc.array(fc.nat(), { minLength: 20, maxLength: 400 });
const histories = fc.oneof(
  numbers.map((rolled) => raceRun(rolled).events),
  numbers.map((rolled) => stored(playRun(rolled).flatMap(({ facts }) => facts))),
);

const followed = (events: readonly RunEvent[]): RunStory => {
  const [{ tenantId, runId } = aRunRef] = events;
  const live = new LiveStory({ tenantId, runId });
  for (const event of events.filter(isPublic)) live.take(event);
  return live.story();
};

describe('The story of a run', () => {
  it('is the same followed live, from public events alone, and made of the rows, after every event', () => {
    fc.assert(
      fc.property(histories, fc.nat(), (events, cut) => {
        const history = events.slice(0, 1 + (cut % events.length));
        expect(followed(history)).toEqual(storyOf(foldRunRows(history)));
      }),
      { numRuns: 400 },
    );
  });

  it('is the same however often events come again, as after a reconnect', () => {
    fc.assert(
      fc.property(histories, fc.nat(), fc.nat(), (events, from, to) => {
        const seen = events.filter(isPublic);
        const again = seen.slice(from % (seen.length + 1), to % (seen.length + 1));
        expect(followed([...seen, ...again])).toEqual(followed(seen));
      }),
      { numRuns: 100 },
    );
  });

  it('tells nothing that clients must not see', () => {
    fc.assert(
      fc.property(histories, (events) => {
        const story = storyOf(foldRunRows(events));
        for (const list of [story?.messages, story?.toolCalls, story?.inputRequests, story?.logs, story?.trail]) {
          for (const { sequence } of list ?? []) expect(sequence).toEqual(expect.any(Number));
        }
        expect((story?.toolCalls ?? []).filter(({ isInternal }) => isInternal)).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it('is none for a run nobody has requested', () => {
    expect(storyOf(foldRunRows([]))).toBeUndefined();
  });
});
