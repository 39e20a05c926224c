import { runLogContract, type OpenedRunLog } from '@millrace/testing/suites';
import { startTestNats, startTestNatsCluster } from '@millrace/testing/servers';
import { JetStreamBlobStore } from './jetstream-blob-store.js';
import { JetStreamRunLog } from './jetstream-run-log.js';
import { connectNats } from './nats-connection.js';
import { setUpTopology } from './topology-setup.js';

async function openOn(url: string, replicas: 1 | 3, stop: () => Promise<void>): Promise<OpenedRunLog> {
  const connections = [await connectNats({ url, name: 'spec' })];
  const [first] = connections;
  await setUpTopology(first!, { replicas, maxLogBytes: 1024 ** 3, maxBlobBytes: 1024 ** 3 });
  const logOf = (nats: typeof first & object) => new JetStreamRunLog(nats, new JetStreamBlobStore(nats));
  return {
    log: logOf(first!),
    async another() {
      const nats = await connectNats({ url, name: 'spec' });
      connections.push(nats);
      return logOf(nats);
    },
    async close() {
      await Promise.all(connections.map((nats) => nats.close()));
      await stop();
    },
  };
}

runLogContract('JetStream', async () => {
  const server = await startTestNats();
  return openOn(server.url, 1, () => server.stop());
});

runLogContract('replicated JetStream', async () => {
  const cluster = await startTestNatsCluster();
  return openOn(cluster.urls.join(','), 3, () => cluster.stop());
});
