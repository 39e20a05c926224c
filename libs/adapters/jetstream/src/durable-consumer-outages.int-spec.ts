import { afterEach, describe, expect, it } from '@jest/globals';
import { done } from '@millrace/ports';
import { startTestNats, startTestNatsCluster, type TestNats } from '@millrace/testing/servers';
import { AckPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { nanos, type NatsConnection } from '@nats-io/nats-core';
import { DurableConsumer } from './durable-consumer.js';
import { connectNats } from './nats-connection.js';
import { until } from './spec-nats.for-spec.js';
import { STREAMS } from './topology.js';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const NAME = 'outages';

/** Three slots on a stream of its own, and what they were given. */
const aConsumerOn = async (url: string, replicas: 1 | 3) => {
  const nats = await connectNats({ url, name: 'spec' });
  closing.push(() => nats.close());
  const manager = await jetstreamManager(nats);
  await manager.streams.add({ name: STREAMS.timers, subjects: ['timer.>'], num_replicas: replicas });
  await manager.consumers.add(STREAMS.timers, {
    durable_name: NAME,
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(2_000),
  });
  const handled = new Set<string>();
  const options = { stream: STREAMS.timers, durable: NAME, concurrency: 3, maxAttempts: 1_000 };
  const consumer = await DurableConsumer.open(nats, options, async ({ data }) => {
    handled.add(new TextDecoder().decode(data));
    return done;
  });
  closing.push(() => consumer.close(1_000));
  const isTaken = async (text: string) => {
    await sent(nats, text);
    await until(() => handled.has(text));
  };
  return { nats, isTaken };
};

/** A store that is away for a moment is asked again. */
const sent = async (nats: NatsConnection, text: string): Promise<void> => {
  const js = jetstream(nats);
  let isStored = false;
  await until(async () => {
    isStored ||= await js.publish('timer.spec', text, { msgID: text, timeout: 1_000 }).then(
      () => true,
      () => false,
    );
    return isStored;
  });
};

describe('A durable consumer goes on by itself', () => {
  it.each(['SIGKILL', 'SIGTERM'] as const)('after the server ended by %s is there again', async (signal) => {
    const server: TestNats = await startTestNats();
    closing.push(() => server.stop());
    const { isTaken } = await aConsumerOn(server.url, 1);
    await isTaken('before');
    await server.kill(signal);
    await server.restart();
    for (const text of ['after', 'and', 'then', 'some', 'more']) await isTaken(text);
  });

  it('after the server stood still for longer than a request is open', async () => {
    const server = await startTestNats();
    closing.push(() => server.stop());
    const { isTaken } = await aConsumerOn(server.url, 1);
    await isTaken('before');
    await server.pause();
    const resumed = new Promise((resolve) => setTimeout(resolve, 7_000)).then(() => server.resume());
    await resumed;
    for (const text of ['after', 'and', 'then', 'some', 'more']) await isTaken(text);
  });

  it('when another server leads the consumer, and when the one it is connected to is gone', async () => {
    const cluster = await startTestNatsCluster();
    closing.push(() => cluster.stop());
    const { nats, isTaken } = await aConsumerOn(cluster.urls.join(','), 3);
    const manager = await jetstreamManager(nats);
    await isTaken('before');
    const leader = async () => (await manager.consumers.info(STREAMS.timers, NAME)).cluster?.leader;
    const first = await leader();
    await nats.request(`$JS.API.CONSUMER.LEADER.STEPDOWN.${STREAMS.timers}.${NAME}`);
    await until(async () => {
      const now = await leader().catch(() => undefined);
      return now !== undefined && now !== first;
    });
    for (const text of ['another', 'leads', 'and', 'still', 'here']) await isTaken(text);

    const connected = cluster.servers.find(({ url }) => url.endsWith(nats.getServer().split(':').at(-1) ?? '-'));
    expect(connected).toBeDefined();
    await connected?.kill('SIGKILL');
    for (const text of ['two', 'are', 'enough', 'for', 'all']) await isTaken(text);
  });
});
