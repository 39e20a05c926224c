import { describe, expect, it } from '@jest/globals';
import { RateLimits } from './rate-limits.js';
import { TokenBuckets } from './token-buckets.js';

const SECOND = 1_000;

describe('A token bucket', () => {
  it('gives a minute worth at once, and then as fast as it fills', () => {
    const buckets = new TokenBuckets(60);
    const taken = Array.from({ length: 60 }, () => buckets.take('ada', 0));
    expect(taken.every(({ isAllowed }) => isAllowed)).toBe(true);
    expect(buckets.take('ada', 0)).toEqual({ isAllowed: false, remaining: 0, fullInSeconds: 60, nextInSeconds: 1 });
    expect(buckets.take('ada', SECOND).isAllowed).toBe(true);
    expect(buckets.take('ada', SECOND).isAllowed).toBe(false);
    expect(buckets.take('ada', 31 * SECOND).remaining).toBe(29);
  });

  it('does not fill over the brim, nor empty when the clock is set back', () => {
    const buckets = new TokenBuckets(2);
    buckets.take('ada', 0);
    expect(buckets.take('ada', 3_600 * SECOND).remaining).toBe(1);
    expect(buckets.take('ada', 0)).toMatchObject({ isAllowed: true, remaining: 0 });
  });

  it('is one for each key', () => {
    const buckets = new TokenBuckets(1);
    expect([buckets.take('ada', 0), buckets.take('bob', 0), buckets.take('ada', 0)]).toMatchObject([
      { isAllowed: true },
      { isAllowed: true },
      { isAllowed: false },
    ]);
  });

  it('is forgotten when it is full again, and at the latest when there are too many', () => {
    const buckets = new TokenBuckets(60, 100);
    for (let key = 0; key < 100; key += 1) buckets.take(`key-${key}`, 0);
    buckets.take('late', 10 * SECOND);
    expect(buckets.size).toBe(1);
    for (let key = 0; key < 500; key += 1) buckets.take(`key-${key}`, 10 * SECOND);
    expect(buckets.size).toBe(100);
    for (let count = 0; count < 60; count += 1) buckets.take('greedy', 10 * SECOND);
    expect(buckets.take('greedy', 10 * SECOND).isAllowed).toBe(false);
  });
});

describe('Rate limits', () => {
  const headers: Record<string, string> = {};
  const reply = { header: (name: string, value: string) => (headers[name] = value) };

  it('say how much is left and when to come back', () => {
    const limits = new RateLimits({ reads: 120, writes: 2, unknown: 1 }, () => 0);
    limits.take('reads', 'ada', reply);
    expect(headers).toEqual({ 'ratelimit-policy': '"reads";q=120;w=60', ratelimit: '"reads";r=119;t=1' });
    limits.take('writes', 'ada', reply);
    limits.take('writes', 'ada', reply);
    expect(() => limits.take('writes', 'ada', reply)).toThrow(
      expect.objectContaining({ code: 'RATE_LIMITED', retryAfterSeconds: 30 }),
    );
    expect(headers['ratelimit']).toBe('"writes";r=0;t=60');
    limits.take('reads', 'ada', reply);
    expect(headers['ratelimit']).toBe('"reads";r=118;t=1');
  });
});
