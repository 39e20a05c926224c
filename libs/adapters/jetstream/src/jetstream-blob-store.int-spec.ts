import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TenantId } from '@millrace/contracts';
import { BlobMissing } from '@millrace/ports';
import { jetstreamManager } from '@nats-io/jetstream';
import { Objm } from '@nats-io/obj';
import { ulid } from 'ulid';
import { JetStreamBlobStore } from './jetstream-blob-store.js';
import { SpecNats, until } from './spec-nats.for-spec.js';
import { BLOB_BUCKET, STREAMS } from './topology.js';

describe('A blob that was stored', () => {
  let spec: SpecNats;
  const tenantId = TenantId.parse(ulid());
  beforeAll(async () => {
    spec = await SpecNats.start();
  });
  afterAll(() => spec.stop());

  const put = (blobs: JetStreamBlobStore, text: string) =>
    blobs.put(tenantId, new TextEncoder().encode(text.repeat(100_000)), 'text/plain');

  it('is missing, and not waited for, once some or all of it is gone', async () => {
    const blobs = new JetStreamBlobStore(spec.nats);
    const manager = await jetstreamManager(spec.nats);
    const bucket = await new Objm(spec.nats).open(BLOB_BUCKET);
    const whole = await put(blobs, 'whole');
    for (const keep of [1, 0]) {
      const ref = await put(blobs, `kept ${keep}`);
      const info = await bucket.info(`${tenantId}/${ref.ref}`);
      expect(info?.chunks).toBeGreaterThan(1);
      await manager.streams.purge(STREAMS.blobs, { filter: `$O.${BLOB_BUCKET}.C.${info?.nuid}`, keep });
      await expect(blobs.get(tenantId, ref)).rejects.toBeInstanceOf(BlobMissing);
    }
    expect(await blobs.get(tenantId, whole)).toHaveLength(whole.bytes);
  });

  it('is there again when the server is, and until then nobody says that it is lost', async () => {
    const ref = await put(new JetStreamBlobStore(spec.nats), 'patience');
    const fresh = new JetStreamBlobStore(await spec.connect()); // knows nothing yet
    await spec.server.kill('SIGKILL');
    await expect(fresh.get(tenantId, ref)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    await expect(put(fresh, 'other')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    await spec.server.restart();
    const read = () => fresh.get(tenantId, ref).catch((error: { code: string }) => error.code);
    await until(async () => (await read()) !== 'STORE_UNAVAILABLE');
    expect(await read()).toHaveLength(ref.bytes);
  });
});
