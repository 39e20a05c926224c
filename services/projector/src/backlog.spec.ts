import { beforeEach, describe, expect, it } from '@jest/globals';
import type { FeedBacklog } from '@millrace/ports';
import { Logger } from '@nestjs/common';
import { Backlog } from './backlog.js';

const NOON = Date.parse('2026-01-12T12:00:00.000Z');
const secondsBefore = (seconds: number) => ({
  streamSequence: 8,
  storedAt: new Date(NOON - seconds * 1_000).toISOString(),
});

let now: number;
let asked: number[];
let isDatabaseThere: boolean;
let found: FeedBacklog;
let said: string[];
let backlog: Backlog;
beforeEach(() => {
  [now, asked, said, isDatabaseThere] = [NOON, [], [], true];
  found = { count: 0, oldest: undefined };
  const hear = (line: string) => void said.push(line);
  Logger.overrideLogger({ log: hear, warn: hear, error: hear, debug: hear });
  const answer = async <T>(value: T): Promise<T> => {
    if (!isDatabaseThere) throw new Error('no database');
    return value;
  };
  backlog = new Backlog(
    { name: 'spec', exclude: ['TokenDelta'] },
    { backlog: async ({ afterStreamSequence }) => (asked.push(afterStreamSequence), found) },
    { load: () => answer(7), countPoison: () => answer(3) },
    () => now,
  );
});

describe('What is known of a backlog', () => {
  it('is nothing before the first look, and then all of it', async () => {
    expect([backlog.events, backlog.lagMs, backlog.poisoned]).toEqual([undefined, undefined, undefined]);
    await backlog.look();
    expect([backlog.events, backlog.lagMs, backlog.poisoned]).toEqual([0, 0, 3]);
    found = { count: 5, oldest: secondsBefore(4) };
    await backlog.look();
    expect([backlog.events, backlog.lagMs, asked]).toEqual([5, 4_000, [7, 7]]);
  });

  it('is older each time it is asked for, and never younger than now', async () => {
    found = { count: 1, oldest: secondsBefore(-60) }; // by a clock that is ahead
    await backlog.look();
    expect(backlog.lagMs).toBe(0);
    now += 61_000;
    expect(backlog.lagMs).toBe(1_000);
  });

  it('is told by the log while the database is away', async () => {
    await backlog.look();
    isDatabaseThere = false;
    found = { count: 2, oldest: secondsBefore(1) };
    await backlog.look();
    expect([backlog.events, backlog.lagMs, backlog.poisoned, asked]).toEqual([2, 1_000, 3, [7, 7]]);
  });

  it('is not made up when the database was never there', async () => {
    isDatabaseThere = false;
    await expect(backlog.look()).rejects.toThrow('no database');
    expect([backlog.events, backlog.lagMs]).toEqual([undefined, undefined]);
  });

  it('is said once when it is long, and once when that is over', async () => {
    found = { count: 900, oldest: secondsBefore(61) };
    await backlog.look();
    await backlog.look();
    found = { count: 0, oldest: undefined };
    await backlog.look();
    await backlog.look();
    expect(said).toEqual(['The rows are 61 s behind the log, by 900 events', 'The rows have caught up with the log']);
  });
});
