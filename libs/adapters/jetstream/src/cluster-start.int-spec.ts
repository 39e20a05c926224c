import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { startTestNatsCluster, type TestNatsCluster } from '@millrace/testing/servers';
import type { NatsConnection } from '@nats-io/nats-core';
import { setTimeout as pause } from 'node:timers/promises';
import { connectNats } from './nats-connection.js';
import { setUpTopology, verifyTopology } from './topology-setup.js';

const ROOM = { replicas: 3, maxLogBytes: 64 * 1024 ** 2, maxBlobBytes: 64 * 1024 ** 2 } as const;

describe('The set-up of a cluster', () => {
  let cluster: TestNatsCluster;
  let nats: NatsConnection;
  beforeAll(async () => {
    cluster = await startTestNatsCluster();
    nats = await connectNats({ url: cluster.urls[0]!, name: 'spec' });
  });
  afterAll(async () => {
    await nats.close();
    await cluster.stop();
  });

  it('waits for a server that has not joined yet', async () => {
    const [, , last] = cluster.servers;
    await last!.kill('SIGKILL');
    await pause(2_000); // so long the others take a server that is gone for one that can have a copy
    const setUp = setUpTopology(nats, ROOM);
    setUp.catch(() => {}); // seen when it is awaited
    await last!.restart();
    await setUp;
    await verifyTopology(nats);
  });
});
