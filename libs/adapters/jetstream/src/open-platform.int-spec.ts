import { type OpenedPlatform, platformContract } from '@millrace/testing/suites';
import { startTestNats, startTestNatsCluster } from '@millrace/testing/servers';
import { connectNats } from './nats-connection.js';
import { openPlatform } from './open-platform.js';
import { setUpTopology } from './topology-setup.js';

const openOn = async (url: string, replicas: 1 | 3, stop: () => Promise<void>): Promise<OpenedPlatform> => {
  const first = await connectNats({ url, name: 'spec' });
  const connections = [first];
  await setUpTopology(first, { replicas, maxLogBytes: 1024 ** 3, maxBlobBytes: 1024 ** 3 });
  return {
    platform: openPlatform(first),
    async another() {
      const nats = await connectNats({ url, name: 'spec' });
      connections.push(nats);
      return { platform: openPlatform(nats), kill: () => nats.close() }; // it renews no lease and sends no heartbeat
    },
    async close() {
      await Promise.all(connections.map((nats) => nats.close()));
      await stop();
    },
  };
};

platformContract('JetStream', async () => {
  const server = await startTestNats();
  return openOn(server.url, 1, () => server.stop());
});

platformContract('replicated JetStream', async () => {
  const cluster = await startTestNatsCluster();
  return openOn(cluster.urls.join(','), 3, () => cluster.stop());
});
