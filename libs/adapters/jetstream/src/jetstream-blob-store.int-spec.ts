import { blobStoreContract } from '@millrace/testing/suites';
import { startTestNats } from '@millrace/testing/servers';
import { JetStreamBlobStore } from './jetstream-blob-store.js';
import { connectNats } from './nats-connection.js';
import { setUpTopology } from './topology-setup.js';

blobStoreContract('JetStream', async () => {
  const server = await startTestNats();
  const nats = await connectNats({ url: server.url, name: 'spec' });
  await setUpTopology(nats, { maxLogBytes: 1024 ** 3, maxBlobBytes: 1024 ** 3 });
  return {
    blobs: new JetStreamBlobStore(nats),
    async close() {
      await nats.close();
      await server.stop();
    },
  };
});
