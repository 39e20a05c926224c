import { BlobRef, type TenantId } from '@millrace/contracts';
import { BlobMissing, BlobStore } from '@millrace/ports';
import type { NatsConnection } from '@nats-io/nats-core';
import { Objm, type ObjectStore } from '@nats-io/obj';
import { createHash } from 'node:crypto';
import { BLOB_BUCKET } from './topology.js';

/** Blobs in NATS' object store. The same content of one tenant lies there once; another tenant's never answers. */
export class JetStreamBlobStore extends BlobStore {
  #bucket?: Promise<ObjectStore>;

  constructor(private readonly nats: NatsConnection) {
    super();
  }

  async put(tenantId: TenantId, bytes: Uint8Array, mediaType: string): Promise<BlobRef> {
    const ref = { ref: nameOf(bytes), bytes: bytes.byteLength, mediaType };
    const bucket = await this.bucket();
    const name = `${tenantId}/${ref.ref}`;
    if (await isThere(bucket, name)) return ref;
    try {
      // Only the first of two writers of the same content may publish it: a second would take its chunks away
      // from whoever reads them at that moment.
      await bucket.putBlob({ name }, bytes, { previousRevision: 0 });
    } catch (cause) {
      if (!(await isThere(bucket, name))) throw cause;
    }
    return ref;
  }

  async get(tenantId: TenantId, ref: BlobRef): Promise<Uint8Array> {
    const { ref: content } = BlobRef.parse(ref);
    const bytes = await this.read(`${tenantId}/${content}`);
    if (bytes === null) throw new BlobMissing(`Tenant ${tenantId} has no payload ${content}`);
    if (nameOf(bytes) !== content) throw new BlobMissing(`Payload ${content} of tenant ${tenantId} is damaged`);
    return bytes;
  }

  private async read(name: string): Promise<Uint8Array | null> {
    const bucket = await this.bucket();
    try {
      return await bucket.getBlob(name);
    } catch (cause) {
      throw new BlobMissing(`Payload ${name} cannot be read`, { cause });
    }
  }

  private bucket(): Promise<ObjectStore> {
    this.#bucket ??= new Objm(this.nats).open(BLOB_BUCKET, false);
    return this.#bucket;
  }
}

const nameOf = (bytes: Uint8Array): string => `sha256-${createHash('sha256').update(bytes).digest('hex')}`;

async function isThere(bucket: ObjectStore, name: string): Promise<boolean> {
  const info = await bucket.info(name);
  return info !== null && !info.deleted;
}
