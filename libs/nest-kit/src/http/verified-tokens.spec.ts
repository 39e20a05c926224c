import { describe, expect, it } from '@jest/globals';
import { aTenantId } from '@millrace/contracts';
import type { Identity } from './token-verifier.js';
import { VerifiedTokens } from './verified-tokens.js';

const identity = (expiresAtSeconds: number): Identity => ({
  tenantId: aTenantId,
  userId: 'ada',
  scopes: new Set(['runs:read']),
  expiresAt: new Date(expiresAtSeconds * 1_000),
});

describe('Tokens that were verified', () => {
  it('are known until they expire, with what clocks may differ by', () => {
    let nowMs = 100_000;
    const verified = new VerifiedTokens(5, () => nowMs);
    const ada = identity(101);
    verified.keep('a', ada, 'keys');
    nowMs = 105_999;
    expect(verified.find('a', 'keys')).toBe(ada);
    nowMs = 106_000;
    expect(verified.find('a', 'keys')).toBeUndefined();
    expect(verified.size).toBe(0);
  });

  it('are not known with other keys, nor again with the old ones', () => {
    const verified = new VerifiedTokens(5, () => 0);
    verified.keep('a', identity(1), 'keys');
    expect(verified.find('a', 'others')).toBeUndefined();
    verified.keep('b', identity(1), 'others');
    expect(verified.find('a', 'others')).toBeUndefined();
    expect(verified.find('a', 'keys')).toBeUndefined();
  });

  it('are so many at most: the one that was not asked for the longest is forgotten', () => {
    const verified = new VerifiedTokens(5, () => 0);
    for (let at = 0; at < 10_000; at += 1) verified.keep(`t${at}`, identity(1), 'keys');
    expect(verified.find('t0', 'keys')).toBeDefined();
    verified.keep('one more', identity(1), 'keys');
    expect(verified.size).toBe(10_000);
    expect(verified.find('t0', 'keys')).toBeDefined();
    expect(verified.find('t1', 'keys')).toBeUndefined();
  });
});
