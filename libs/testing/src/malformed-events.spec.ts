import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { decodeRunEvent, EventInvalid } from '@millrace/contracts';
import { malformedEvents, type MalformedEvent } from './malformed-events.js';

const outcomeOf = (bytes: Uint8Array): unknown => {
  try {
    return decodeRunEvent(bytes);
  } catch (error) {
    return error;
  }
};

const digest = (events: MalformedEvent[]): string =>
  events.reduce((hash, { bytes }) => hash.update(bytes).update('\n'), createHash('sha256')).digest('hex');

describe('a thousand malformed events', () => {
  it.each([1, 2, 3])('are refused with EventInvalid and nothing else (seed %i)', (seed) => {
    const events = malformedEvents(1_000, seed);
    const survivors = events.filter(({ bytes }) => !(outcomeOf(bytes) instanceof EventInvalid));
    expect(survivors.map(({ sort, bytes }) => `${sort}: ${new TextDecoder().decode(bytes.slice(0, 300))}`)).toEqual([]);
  });

  it('say in a short line what is wrong', () => {
    for (const { bytes } of malformedEvents(200, 4)) {
      expect((outcomeOf(bytes) as EventInvalid).message.length).toBeLessThan(1_000);
    }
  });

  it('are of every sort, and the same for the same seed', () => {
    const events = malformedEvents(1_000, 1);
    expect(new Set(events.map(({ sort }) => sort)).size).toBeGreaterThan(20);
    expect(digest(malformedEvents(1_000, 1))).toBe(digest(events));
    expect(digest(malformedEvents(1_000, 2))).not.toBe(digest(events));
  });
});
