import { BlobRef, type TenantId } from '@millrace/contracts';
import { BlobMissing, BlobStore } from '@millrace/ports';
import { createHash } from 'node:crypto';
import { plainParts, type ProcessParts } from './process-parts.js';

export class InMemoryBlobStore extends BlobStore {
  constructor(private readonly parts: ProcessParts = plainParts()) {
    super();
  }

  async put(tenantId: TenantId, bytes: Uint8Array, mediaType: string): Promise<BlobRef> {
    const ref = `sha256-${createHash('sha256').update(bytes).digest('hex')}`;
    const kept = bytes.slice();
    await this.parts.wire.ask('write', () => this.parts.store.blobs.set(`${tenantId}/${ref}`, kept));
    return { ref, bytes: bytes.byteLength, mediaType };
  }

  async get(tenantId: TenantId, ref: BlobRef): Promise<Uint8Array> {
    const key = `${tenantId}/${BlobRef.parse(ref).ref}`;
    const bytes = await this.parts.wire.ask('read', () => this.parts.store.blobs.get(key));
    if (!bytes) throw new BlobMissing(`Tenant ${tenantId} has no payload ${ref.ref}`);
    return bytes.slice();
  }
}
