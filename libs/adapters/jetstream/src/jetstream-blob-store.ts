import { BlobRef, type TenantId } from '@millrace/contracts';
import { BlobMissing, BlobStore, RunLogFull, RunLogUnavailable } from '@millrace/ports';
import { jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/nats-core';
import { type ObjectInfo, Objm, type ObjectStore } from '@nats-io/obj';
import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { isFull } from './api-codes.js';
import { DirectReader } from './direct-reader.js';
import { BLOB_BUCKET, STREAMS } from './topology.js';

const CHUNKS_AT_ONCE = 64;
const PAUSE_MS = 20;
const LONGEST_LAG_MS = 5_000;

/**
 * Blobs in NATS' object store. The same content of one tenant lies there once; another tenant's never answers.
 *
 * They are read by direct gets, as the log is. The client library's own reading makes a consumer for each object and
 * waits for ever when its chunks do not come; ours ends with an answer or says that there was none.
 */
export class JetStreamBlobStore extends BlobStore {
  readonly #chunks: DirectReader;
  #bucket: Promise<ObjectStore> | undefined;

  constructor(private readonly nats: NatsConnection) {
    super();
    this.#chunks = new DirectReader(nats, STREAMS.blobs);
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
      if (isFull(cause)) throw new RunLogFull(`Stream ${STREAMS.blobs} has no room for a payload`, { cause });
      throw new RunLogUnavailable(`Stream ${STREAMS.blobs} took no payload`, { cause });
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
    for (const deadline = performance.now() + LONGEST_LAG_MS; ; await pause(PAUSE_MS)) {
      const chunks = await this.chunksOn(filter);
      if (chunks.length >= info.chunks) return Buffer.concat(chunks, info.size);
      if ((await this.storedOn(filter)) < info.chunks) return undefined;
      if (performance.now() > deadline) {
        throw new RunLogUnavailable(`Stream ${STREAMS.blobs}: no replica has all of ${info.name}`);
      }
    }
  }

  private async chunksOn(filter: string): Promise<Uint8Array[]> {
    const chunks: Uint8Array[] = [];
    for (let from = 1; ;) {
      const { items, lastSequence, atEnd } = await this.#chunks.page(filter, from, CHUNKS_AT_ONCE, ({ data }) => data);
      chunks.push(...items);
      if (atEnd || lastSequence === undefined) return chunks;
      from = lastSequence + 1;
    }
  }

  /** As the stream's leader counts. */
  private async storedOn(filter: string): Promise<number> {
    try {
      const manager = await jetstreamManager(this.nats, { checkAPI: false });
      const { state } = await manager.streams.info(STREAMS.blobs, { subjects_filter: filter });
      return state.subjects?.[filter] ?? 0;
    } catch (cause) {
      throw new RunLogUnavailable(`Stream ${STREAMS.blobs} cannot be read`, { cause });
    }
  }

  private bucket(): Promise<ObjectStore> {
    this.#bucket ??= new Objm(this.nats).open(BLOB_BUCKET, false).catch((cause: unknown) => {
      this.#bucket = undefined; // the next one asks again
      throw new RunLogUnavailable(`Bucket ${BLOB_BUCKET} cannot be opened`, { cause });
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
    throw new RunLogUnavailable(`Stream ${STREAMS.blobs} cannot be read`, { cause });
  }
}
