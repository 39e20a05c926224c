import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type NamedPlace, PlaceIndex } from './place-index.js';

/** The indexes of a history whose events lie at these places. */
const indexesOf = (places: readonly number[]): PlaceIndex[] => {
  const indexes = [PlaceIndex.first];
  for (const place of places.slice(0, -1)) indexes.push(indexes.at(-1)!.behind(place));
  return indexes;
};

const everySeventh = Array.from({ length: 5_000 }, (_, at) => 7 * at + 1);

/** All events before the one with the index, or those of its block, found by nothing but indexes. */
const found = (indexes: readonly PlaceIndex[], index: PlaceIndex, below = Infinity): number[] =>
  index.named
    .filter(({ level }) => level < below)
    .flatMap(({ position, place, level }: NamedPlace) => [...found(indexes, indexes[position]!, level), place]);

describe('The index of places', () => {
  const indexes = indexesOf(everySeventh);

  it.each([0, 1, 15, 16, 17, 255, 256, 257, 300, 4_095, 4_096, 4_097, 4_999])(
    'of the event at position %i finds all events before it',
    (position) => {
      expect(found(indexes, indexes[position]!)).toEqual(everySeventh.slice(0, position));
    },
  );

  it('names as many places as the digits of the position add up to, the nearest one by one', () => {
    const { named } = indexes[0x123]!;
    expect(named.map(({ position }) => position)).toEqual([0xff, 0x10f, 0x11f, 0x120, 0x121, 0x122]);
    expect(named.map(({ place }) => place)).toEqual(named.map(({ position }) => everySeventh[position]));
  });

  it('reads its own text', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 10 ** 9 }), { minLength: 1, maxLength: 600 }), (steps) => {
        let place = 0;
        const last = indexesOf(steps.map((step) => (place += step))).at(-1)!;
        const read = PlaceIndex.parse(last.position, String(last));
        expect(read.named).toEqual(last.named);
        expect(String(read.behind(place))).toBe(String(last.behind(place)));
      }),
    );
  });

  it('is dropped by JSON, so that no reader takes something else for it', () => {
    expect(JSON.parse(JSON.stringify({ position: 4, places: indexes[4] }))).toEqual({ position: 4 });
  });

  it('stays short', () => {
    const far = indexesOf(Array.from({ length: 5_000 }, (_, at) => 1_000_000 * at + 1));
    expect(String(far.at(-1)).length).toBeLessThan(300);
    expect(String(indexes[0])).toBe('-');
  });
});
