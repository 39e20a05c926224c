import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connectNats, JetStreamBlobStore, JetStreamRunLog, type NatsConnection } from '@millrace/adapter-jetstream';
import { FACT_FIXTURES } from '@millrace/contracts';
import { GatewayWorld } from '../gateway-world.for-spec.js';
import { RunChannels } from './run-channels.js';

let world: GatewayWorld;
const opened: NatsConnection[] = [];
beforeAll(async () => {
  world = await GatewayWorld.start();
});
afterAll(async () => {
  for (const nats of opened) await nats.close();
  await world.stop();
});

const connect = async (): Promise<NatsConnection> => {
  const nats = await connectNats({ url: world.natsUrl('admin'), name: 'spec' });
  opened.push(nats);
  return nats;
};

describe('The channels of many runs that begin and end at the same time', () => {
  it('hear the end of each, without a look at the log now and then to help them', async () => {
    const nats = await connect();
    const log = new JetStreamRunLog(nats, new JetStreamBlobStore(nats), {
      replay: await connect(),
      lookEveryMs: 3_600_000, // a word that is lost, or wakes nobody, is waited for in vain
    });
    const channels = new RunChannels(log);
    const { RunStarted, NodeStarted, TokenDelta, NodeFinished, RunFinished } = FACT_FIXTURES;
    const clients = Array.from({ length: 64 }, async (_, client) => {
      for (let round = 0; round < 6; round += 1) {
        const run = await world.run();
        const saying = world.say(run, RunStarted, NodeStarted, TokenDelta, NodeFinished, RunFinished);
        if (client % 3 === 0) await saying; // it has ended already
        const { value: channel, release } = await channels.hold(run, client % 2);
        await new Promise<void>((ended, failed) => {
          const reader = { pump: () => void (channel.isEnded && ended()), fail: failed };
          channel.join(reader);
          reader.pump();
        });
        expect(channel.last).toBe(4);
        release();
        await saying;
      }
    });
    await Promise.all(clients);
    expect(channels.size).toBe(0);
  });
});
