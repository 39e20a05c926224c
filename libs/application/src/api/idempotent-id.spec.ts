import { describe, expect, it } from '@jest/globals';
import { aTenantId, TenantId } from '@millrace/contracts';
import { runIdOfKey, threadIdOfKey } from './idempotent-id.js';

const another = TenantId.parse('01JD000000000000000000000Z');

describe('The id a key stands for', () => {
  it('never changes, or keys sent before a release would make a second run after it', async () => {
    expect(await runIdOfKey(aTenantId, 'order-7')).toBe('37Q7GTJHK63XPVG2954QE156GS');
    expect(await threadIdOfKey(aTenantId, 'order-7')).toBe('7FH9QZCJJPFESTPQ4XDCP84BAF');
  });

  it('differs by key, by tenant and by what is created', async () => {
    const ids = await Promise.all([
      ...Array.from({ length: 1_000 }, (_, at) => runIdOfKey(aTenantId, `key-${at}`)),
      runIdOfKey(another, 'key-1'),
      threadIdOfKey(aTenantId, 'key-1'),
    ]);
    expect(new Set(ids).size).toBe(1_002);
  });
});
