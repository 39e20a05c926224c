import { BlobRef, type TenantId } from '@millrace/contracts';
import { BlobMissing, BlobStore } from '@millrace/ports';
import { createHash } from 'node:crypto';

export class InMemoryBlobStore extends BlobStore {
  readonly #blobs = new Map<string, Uint8Array>();

  async put(tenantId: TenantId, bytes: Uint8Array, mediaType: string): Promise<BlobRef> {
    const ref = `sha256-${createHash('sha256').update(bytes).digest('hex')}`;
    this.#blobs.set(`${tenantId}/${ref}`, bytes.slice());
    return { ref, bytes: bytes.byteLength, mediaType };
  }

  async get(tenantId: TenantId, ref: BlobRef): Promise<Uint8Array> {
    const bytes = this.#blobs.get(`${tenantId}/${BlobRef.parse(ref).ref}`);
    if (!bytes) throw new BlobMissing(`Tenant ${tenantId} has no payload ${ref.ref}`);
    return bytes.slice();
  }
}
