import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isTerminal, type PublicEvent } from '@millrace/contracts';
import { isShown } from '@millrace/dialects';
import { Cluster } from './cluster.for-spec.js';
import { expectSoundStory } from './sound-story.for-spec.js';
import { WanderingClient } from './wandering-client.for-spec.js';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await Cluster.start({ orchestrator: 1, 'node-workers': 1, 'stream-gateway': 2 });
});
afterAll(() => cluster.stop());

const CLIENTS = 100;
const KILLS = 4;

describe('A run that 100 clients follow, each from one process and dialect to another as it likes', () => {
  it('is the same story to all of them, while gateways are killed with -9', async () => {
    const token = await cluster.token();
    const input = { steps: 8, parallel: 2, tokensPerStep: 40, tokensPerSecond: 60 };
    const run = await cluster.request('treadmill', input);
    const journey = {
      run,
      token,
      gateways: () => cluster.of('stream-gateway').map(({ url }) => url),
      roll: Math.random,
    };
    const clients = Array.from({ length: CLIENTS }, () => new WanderingClient(journey));
    let areUnderWay = true;
    const followed = Promise.all(clients.map((client) => client.follow())).finally(() => (areUnderWay = false));

    for (let kills = 0; kills < KILLS && areUnderWay; kills += 1) {
      // The next one dies once the run has gone on, at a moment nobody chose.
      const { position } = await cluster.log.tail(run);
      await cluster.until(run, (event) => event.position > position + 30 || isTerminal(event));
      const gateways = cluster.of('stream-gateway');
      await cluster.kill(gateways[kills % gateways.length]!);
      await cluster.spawn('stream-gateway');
    }
    await followed;

    const events = await cluster.ended(run);
    expectSoundStory(events);
    const shown: PublicEvent[] = events.filter(isShown);
    expect(clients.map((client) => client.differenceFrom(shown))).toEqual(clients.map(() => undefined));
    const connections = clients.reduce((sum, client) => sum + client.connections, 0);
    expect(connections).toBeGreaterThan(5 * CLIENTS); // they did wander
  });
});
