import { BlobRef, type TenantId } from '@millrace/contracts';
import { BlobMissing, BlobStore, StoreFull, StoreUnavailable } from '@millrace/ports';
import type { NatsConnection } from '@nats-io/nats-core';
import { type ObjectInfo, Objm, type ObjectStore } from '@nats-io/obj';
import { createHash } from 'node:crypto';
import { isFull } from './api-codes.js';
import { DirectReader, type MessagePage } from './direct-reader.js';
import { LeaderReader } from './leader-reader.js';
import { ReplicaLag } from './replica-lag.js';
import { BLOB_BUCKET, STREAMS } from './topology.js';

const CHUNKS_AT_ONCE = 64;

/**
 * Blobs in NATS' object store. The same content of one tenant lies there once; another tenant's never answers.
 *
 * They are read by direct gets, as the log is. The client library's own reading makes a consumer for each object and
 * waits for ever when its chunks do not come; ours ends with an answer or says that there was none.
 */
export class JetStreamBlobStore extends BlobStore {
  readonly #chunks: DirectReader;
  readonly #leader: LeaderReader;
  #bucket: Promise<ObjectStore> | undefined;

  constructor(private readonly nats: NatsConnection) {
    super();
    this.#chunks = new DirectReader(nats, STREAMS.blobs);
    this.#leader = new LeaderReader(nats, STREAMS.blobs);
  }

  async put(tenantId: TenantId, bytes: Uint8Array, mediaType: string): Promise<BlobRef> {
    const ref = { ref: nameOf(bytes), bytes: bytes.byteLength, mediaType };
    const bucket = await this.bucket();
    const name = `${tenantId}/${ref.ref}`;
    if (await infoOf(bucket, name)) return ref;
    try {
      // Only the first of two writers of the same content may publish it: a second would take its chunks away
      // from whoever reads them at that moment.
      await bucket.putBlob({ name }, bytes, { previousRevision: 0 });
    } catch (cause) {
      if (await infoOf(bucket, name)) return ref;
      if (isFull(cause)) throw new StoreFull(`Stream ${STREAMS.blobs} has no room for a payload`, { cause });
      throw new StoreUnavailable(`Stream ${STREAMS.blobs} took no payload`, { cause });
    }
    return ref;
  }

  async get(tenantId: TenantId, ref: BlobRef): Promise<Uint8Array> {
    const { ref: content } = BlobRef.parse(ref);
    const info = await infoOf(await this.bucket(), `${tenantId}/${content}`);
    if (info === undefined) throw new BlobMissing(`Tenant ${tenantId} has no payload ${content}`);
    const bytes = await this.read(info);
    if (bytes === undefined || nameOf(bytes) !== content) {
      throw new BlobMissing(`Payload ${content} of tenant ${tenantId} is damaged`);
    }
    return bytes;
  }

  /** Undefined when the stream does not hold all of it. A replica that lags may not have it yet: that is waited for. */
  private async read(info: ObjectInfo): Promise<Uint8Array | undefined> {
    const filter = `$O.${BLOB_BUCKET}.C.${info.nuid}`;
    const chunks: Uint8Array[] = [];
    const lag = new ReplicaLag(`Payload ${info.name}`, 0);
    for (let from: number | undefined = 1; from !== undefined;) {
      const page: MessagePage<Uint8Array> = await this.#chunks.page(
        filter,
        from,
        Math.min(info.chunks - chunks.length, CHUNKS_AT_ONCE), // no search for one that is not there
        ({ data }) => data,
      );
      chunks.push(...page.items);
      if (chunks.length >= info.chunks) return Buffer.concat(chunks, info.size);
      if (!page.atEnd && page.lastSequence !== undefined) {
        from = page.lastSequence + 1;
        continue;
      }
      lag.expect((await this.#leader.last(filter))?.streamSequence ?? 0);
      from = await lag.missingAfter(page.lastSequence);
    }
    return undefined;
  }

  private bucket(): Promise<ObjectStore> {
    this.#bucket ??= new Objm(this.nats).open(BLOB_BUCKET, false).catch((cause: unknown) => {
      this.#bucket = undefined; // the next one asks again
      throw new StoreUnavailable(`Bucket ${BLOB_BUCKET} cannot be opened`, { cause });
    });
    return this.#bucket;
  }
}

const nameOf = (bytes: Uint8Array): string => `sha256-${createHash('sha256').update(bytes).digest('hex')}`;

/** As the stream's leader knows it; undefined when it knows none. */
async function infoOf(bucket: ObjectStore, name: string): Promise<ObjectInfo | undefined> {
  try {
    const info = await bucket.info(name);
    return info === null || info.deleted ? undefined : info;
  } catch (cause) {
    throw new StoreUnavailable(`Stream ${STREAMS.blobs} cannot be read`, { cause });
  }
}
