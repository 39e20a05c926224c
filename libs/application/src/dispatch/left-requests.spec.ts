import { describe, expect, it } from '@jest/globals';
import { LeftRequests } from './left-requests.js';

const places = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, at) => 10 * (from + at));

/** Requests 1 to `count`, each ten places behind the one before. */
const left = (count: number, mostBytes?: number): LeftRequests => {
  const requests = new LeftRequests({ from: 10, to: 9 }, mostBytes);
  for (const place of places(1, count)) requests.add(place);
  return requests;
};

/** What is read from the log of 300 requests until nothing is left, with the answers the log gives. */
const readAll = (requests: LeftRequests) => {
  const read: number[] = [];
  let searches = 0;
  while (!requests.isEmpty) {
    const { wanted } = requests;
    if ('places' in wanted) {
      read.push(...wanted.places);
      requests.drop(wanted.places.at(-1)!);
    } else {
      searches += 1;
      const found = places(1, 300).filter((place) => place >= wanted.from && place <= wanted.to);
      requests.locate(found.slice(0, 100), found[99] ?? wanted.to);
    }
  }
  return { read, searches };
};

describe('Requests that are left to the log', () => {
  it('are read by their places, in handfuls and in order', () => {
    expect(left(300).wanted).toEqual({ places: places(1, 48) });
    expect(readAll(left(300))).toEqual({ read: places(1, 300), searches: 0 });
  });

  it('are searched for where there were too many places to keep, after those that were kept', () => {
    expect(readAll(left(300, 100))).toEqual({ read: places(1, 300), searches: 2 });
  });

  it('stay in order when others come while some are searched for', () => {
    const requests = left(200, 100);
    requests.drop(1_000);
    requests.locate(places(101, 150), 1_500);
    requests.add(2_010); // behind a range: part of it
    expect(requests.wanted).toEqual({ places: places(101, 148) });
    requests.drop(1_500);
    expect(requests.wanted).toEqual({ from: 1_501, to: 2_010 });
  });

  it('are saved with as many places as fit, and with the range of all for older code', () => {
    const requests = left(300);
    requests.drop(100);
    const saved = requests.save(50);
    expect(saved).toMatchObject({ from: 101, to: 3_000 });
    expect(readAll(new LeftRequests(saved))).toEqual({ read: places(11, 300), searches: 3 });
    expect(readAll(new LeftRequests(requests.save(1_000)))).toEqual({ read: places(11, 300), searches: 0 });
    expect(readAll(new LeftRequests({ from: 101, to: 3_000 }))).toEqual({ read: places(11, 300), searches: 3 });
  });

  it('are no more once all were read', () => {
    const requests = left(2);
    expect([requests.isEmpty, requests.from]).toEqual([false, 10]);
    requests.drop(20);
    expect(requests.isEmpty).toBe(true);
  });
});
