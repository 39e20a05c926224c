import { describe, expect, it } from '@jest/globals';
import { PlaceList } from './place-list.js';

const aList = (places: readonly number[], before = 0): PlaceList => {
  const list = new PlaceList(before);
  for (const place of places) list.add(place);
  return list;
};

const FAR = [1, 2, 129, 130, 20_000, 3_000_000, 2 ** 31, 2 ** 40, 2 ** 53 - 1];

describe('A list of places', () => {
  it('gives the places that were added, however far they lie apart', () => {
    expect(aList(FAR).first(Infinity)).toEqual(FAR);
    expect(aList(FAR).first(3)).toEqual(FAR.slice(0, 3));
  });

  it('takes a byte or two for each of a million runs of twenty events', () => {
    const list = aList(Array.from({ length: 1_000_000 }, (_, at) => 20 * at + (at % 7) * 40 + 1));
    expect(list.bytes).toBeLessThan(2_000_000);
  });

  it('takes a place only once', () => {
    const list = aList([5, 9]);
    list.drop(9);
    for (const place of [5, 9, 12]) list.add(place);
    expect(list.first(Infinity)).toEqual([12]);
  });

  it('forgets the first ones while others are added', () => {
    const list = new PlaceList(0);
    for (let place = 1; place <= 10_000; place += 1) {
      list.add(300 * place);
      if (place % 10 === 0) list.drop(300 * (place - 5));
    }
    expect(list.first(Infinity)).toEqual([9_996, 9_997, 9_998, 9_999, 10_000].map((place) => 300 * place));
    expect([list.before, list.last]).toEqual([300 * 9_995, 3_000_000]);
  });

  it('is saved whole, or as many of its first places as fit', () => {
    const list = aList(FAR);
    list.drop(2);
    expect(new PlaceList(list.before, list.save(Infinity)).first(Infinity)).toEqual(FAR.slice(2));
    for (let mostBytes = 0; mostBytes <= list.bytes; mostBytes += 1) {
      const text = list.save(mostBytes);
      expect(Buffer.from(text, 'base64').length).toBeLessThanOrEqual(mostBytes);
      const saved = new PlaceList(list.before, text).first(Infinity);
      expect(saved).toEqual(FAR.slice(2, 2 + saved.length));
    }
  });
});
