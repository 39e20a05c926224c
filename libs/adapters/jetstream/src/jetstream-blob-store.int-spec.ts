import { blobStoreContract } from '@millrace/testing/suites';
import { JetStreamBlobStore } from './jetstream-blob-store.js';
import { SpecNats } from './spec-nats.for-spec.js';

blobStoreContract('JetStream', async () => {
  const spec = await SpecNats.start();
  return { blobs: new JetStreamBlobStore(spec.nats), close: () => spec.stop() };
});
