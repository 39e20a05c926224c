import { describe, expect, it } from '@jest/globals';
import { firstSequenceOf, type PublicEvent, type RunEvent } from '@millrace/contracts';
import { playRun, raceRun, stored } from '@millrace/testing';
import fc from 'fast-check';
import { mergeDeltas } from './delta-merge.js';
import { DIALECTS, type DialectName } from './dialects.js';
import { type Frame, isShown } from './frame.js';
import { encodeFrames } from './sse.js';

const numbers = fc.array(fc.nat(), { minLength: 20, maxLength: 400 });
const histories: fc.Arbitrary<readonly RunEvent[]> = fc.oneof(
  numbers.map((rolled) => raceRun(rolled).events),
  numbers.map((rolled) => stored(playRun(rolled).flatMap(({ facts }) => facts))),
);
const dialects = fc.constantFrom(...(Object.keys(DIALECTS) as DialectName[]));

/** A client: what it was told, and the id it would come back with. */
interface Told {
  readonly frames: Frame[];
  readonly cursor: number;
}

const tell = (events: readonly RunEvent[], name: DialectName, after: number): Told => {
  const shown = events.filter(isShown).filter(({ sequence }) => sequence > after);
  const frames = shown.flatMap((event) => [...DIALECTS[name](event)]);
  const told = shown.filter((event) => DIALECTS[name](event).length > 0);
  return { frames, cursor: told.at(-1)?.sequence ?? after };
};

describe('A run told in any dialect', () => {
  it('is the same in one piece and in two, wherever it was cut', () => {
    fc.assert(
      fc.property(histories, dialects, fc.nat(400), (events, name, cut) => {
        const first = tell(events.slice(0, cut), name, -1);
        const second = tell(events, name, first.cursor);
        expect([...first.frames, ...second.frames]).toEqual(tell(events, name, -1).frames);
      }),
    );
  });

  it('has its ids in order, each on the last frame of its event, and never one between the frames of one', () => {
    fc.assert(
      fc.property(histories, dialects, (events, name) => {
        for (const event of events.filter(isShown)) {
          const frames = DIALECTS[name](event);
          const blocks = encodeFrames(event.sequence, frames).split('\n\n').slice(0, -1);
          expect(blocks).toHaveLength(frames.length);
          expect(blocks.map((block) => block.includes(`id: ${event.sequence}\n`))).toEqual(
            frames.map((_, at) => at === frames.length - 1),
          );
        }
      }),
    );
  });

  it('says the same words with its deltas merged, and leaves no gap', () => {
    fc.assert(
      fc.property(histories, (events) => {
        const shown = events.filter(isShown);
        const merged = mergeDeltas(shown);
        let expected = 0;
        for (const event of merged) {
          expect(firstSequenceOf(event)).toBe(expected);
          expected = event.sequence + 1;
        }
        expect(words(merged)).toEqual(words(shown));
        expect(mergeDeltas(merged)).toEqual(merged);
      }),
    );
  });
});

const words = (events: readonly PublicEvent[]): Record<string, string> => {
  const said: Record<string, string> = {};
  for (const event of events) {
    if (event.kind !== 'TokenDelta' && event.kind !== 'ThoughtDelta') continue;
    const speaker = `${event.kind} ${event.taskKey} ${event.attempt}`;
    said[speaker] = (said[speaker] ?? '') + event.text;
  }
  return said;
};
