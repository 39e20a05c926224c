import { expect, it } from '@jest/globals';
import { TenantId } from '@millrace/contracts';
import { BlobMissing, type BlobStore } from '@millrace/ports';
import { ulid } from 'ulid';

/** What every blob store promises. */
export const blobStoreRules = (blobs: () => BlobStore): void => {
  const tenantId = TenantId.parse(ulid());

  it.each([1, 100, 128 * 1024, 1_000_000, 9_000_000])('gives back %i bytes as they were', async (size) => {
    const bytes = Uint8Array.from({ length: size }, (_, index) => (index * 31) % 256);
    const ref = await blobs().put(tenantId, bytes, 'application/octet-stream');
    expect(ref).toMatchObject({ bytes: size, mediaType: 'application/octet-stream' });
    expect(Buffer.from(await blobs().get(tenantId, ref)).equals(bytes)).toBe(true);
  });

  it('names content by itself, whoever puts it and how often', async () => {
    const bytes = new TextEncoder().encode('the same');
    const refs = await Promise.all(Array.from({ length: 8 }, () => blobs().put(tenantId, bytes, 'text/plain')));
    expect(new Set(refs.map(({ ref }) => ref)).size).toBe(1);
    expect(new TextDecoder().decode(await blobs().get(tenantId, refs[0]!))).toBe('the same');
  });

  it("does not give one tenant another's content", async () => {
    const ref = await blobs().put(tenantId, new TextEncoder().encode('mine'), 'text/plain');
    await expect(blobs().get(TenantId.parse(ulid()), ref)).rejects.toBeInstanceOf(BlobMissing);
  });

  it('says so when there is no such content', async () => {
    const ref = { ref: `sha256-${'0'.repeat(64)}`, bytes: 1, mediaType: 'text/plain' };
    await expect(blobs().get(tenantId, ref)).rejects.toBeInstanceOf(BlobMissing);
  });
};
