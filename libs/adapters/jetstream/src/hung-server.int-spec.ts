import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EMPTY_TAIL, type RunLog, StoreUnavailable } from '@millrace/ports';
import { startTestNatsCluster, type TestNats, type TestNatsCluster } from '@millrace/testing/servers';
import type { NatsConnection } from '@nats-io/nats-core';
import { JetStreamBlobStore } from './jetstream-blob-store.js';
import { JetStreamEventFeed } from './jetstream-event-feed.js';
import { JetStreamRunLog } from './jetstream-run-log.js';
import { connectNats } from './nats-connection.js';
import { aRun, token, until } from './spec-nats.for-spec.js';
import { STREAMS } from './topology.js';
import { setUpTopology } from './topology-setup.js';

let cluster: TestNatsCluster;
const connections: NatsConnection[] = [];
beforeEach(async () => {
  cluster = await startTestNatsCluster();
});
afterEach(async () => {
  await Promise.all(cluster.servers.map((server) => server.resume()));
  await Promise.all(connections.splice(0).map((nats) => nats.close()));
  await cluster.stop();
});

/** Begins with the first of them, and may go on with any. */
async function connectTo(...servers: TestNats[]): Promise<NatsConnection> {
  const nats = await connectNats({ url: servers.map(({ url }) => url).join(','), name: 'spec' });
  connections.push(nats);
  return nats;
}

async function serverOf(name: string | undefined): Promise<TestNats> {
  for (const server of cluster.servers) if ((await connectTo(server)).info?.server_name === name) return server;
  throw new Error(`there is no server ${name}`);
}

async function appendSurely(log: RunLog): Promise<void> {
  const [run, draft] = [aRun(), token('said meanwhile')];
  for (;;) {
    try {
      return void (await log.append(run, draft, EMPTY_TAIL));
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
    }
  }
}

const logOf = (nats: NatsConnection) => new JetStreamRunLog(nats, new JetStreamBlobStore(nats));
const SIZE = { replicas: 3, maxLogBytes: 1024 ** 3, maxBlobBytes: 1024 ** 3 } as const;

describe('A server of a cluster that hangs', () => {
  it('is left by its clients, who go on with another one while it hangs', async () => {
    const [first] = cluster.servers as [TestNats];
    const nats = await connectTo(first);
    await setUpTopology(nats, SIZE);
    const log = logOf(nats);
    const before = nats.getServer();
    await first.pause();

    await appendSurely(log);

    expect(nats.getServer()).not.toBe(before);
  });

  it('is left by a feed whose consumer lives on it', async () => {
    const [first] = cluster.servers as [TestNats];
    const nats = await connectTo(first);
    await setUpTopology(nats, SIZE);
    const seen: number[] = [];
    const stop = new AbortController();
    const feed = new JetStreamEventFeed(nats, new JetStreamBlobStore(nats));
    const reading = (async () => {
      for await (const batch of feed.batches({ afterStreamSequence: 0, signal: stop.signal }))
        seen.push(...batch.map(({ streamSequence }) => streamSequence));
    })();
    const feeds = async () => {
      const list = (await nats.request(`$JS.API.CONSUMER.LIST.${STREAMS.runs}`)).json<{
        consumers: { config: { durable_name?: string }; cluster?: { leader?: string } }[];
      }>();
      return list.consumers.filter(({ config }) => config.durable_name === undefined);
    };
    await until(async () => (await feeds()).length === 1);
    await appendSurely(logOf(nats));
    await until(() => seen.length === 1);
    const home = await serverOf((await feeds())[0]?.cluster?.leader);
    await home.pause();

    const others = await connectTo(...cluster.servers.filter((server) => server !== home));
    await appendSurely(logOf(others));
    await until(() => seen.length === 2);

    expect(seen).toEqual([1, 2]);
    stop.abort();
    await reading;
  });
});
