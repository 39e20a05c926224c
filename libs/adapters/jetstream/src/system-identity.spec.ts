import { describe, expect, it } from '@jest/globals';
import { EventId } from '@millrace/contracts';
import { UlidEventIds } from './system-identity.js';

describe('Ids of events', () => {
  it('are ULIDs in the order they were made, and no two makers make the same', () => {
    const made = [new UlidEventIds(), new UlidEventIds()].map((ids) => Array.from({ length: 2_000 }, () => ids.next()));
    for (const ids of made) {
      expect(ids).toEqual([...ids].sort());
      for (const id of ids) expect(EventId.safeParse(id).success).toBe(true);
    }
    expect(new Set(made.flat()).size).toBe(4_000);
  });

  it('have every letter in every random place', () => {
    const tails = Array.from({ length: 3_000 }, () => new UlidEventIds().next().slice(10));
    for (let place = 0; place < 16; place += 1) expect(new Set(tails.map((tail) => tail[place])).size).toBe(32);
  });
});
