import 'reflect-metadata';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { JetStreamDeadLetters } from '@millrace/adapter-jetstream';
import { eventFixture, FACT_FIXTURES, type RunEventKind, type RunRef, subjects } from '@millrace/contracts';
import type { DeadLetter } from '@millrace/ports';
import { eventPoisons, type Poison } from '@millrace/testing';
import { eventsOf, type Gateway, GatewayWorld, paths, tokens } from './gateway-world.for-spec.js';

let world: GatewayWorld;
let gateway: Gateway;
beforeAll(async () => {
  world = await GatewayWorld.start();
  gateway = await world.gateway();
});
afterAll(() => world.stop());

const { RunRequested, RunStarted, RunFinished } = FACT_FIXTURES;

/** A payload that is gone needs headers, which `nats.request` of a spec does not send. */
const SORTS = eventPoisons(eventFixture('RunRequested'), 'TokenDelta')
  .filter(({ headers }) => headers === undefined)
  .map(({ sort }) => sort);

const poisonOf = (run: RunRef, kind: RunEventKind, sort: string): Poison =>
  eventPoisons(run, kind).find((poison) => poison.sort === sort)!;

/** Past our log, as only an admin can. */
const publish = ({ subject, data }: Pick<Poison, 'subject' | 'data'>) => world.nats.request(subject, data);

const letterOf = async (run: RunRef, consumer: string): Promise<DeadLetter> => {
  for (;;) {
    const letters = (await new JetStreamDeadLetters(world.nats).list(1_000)).filter(
      (letter) => letter.consumer === consumer && letter.subject.includes(run.runId),
    );
    if (letters.length > 0) {
      expect(letters).toHaveLength(1);
      return letters[0]!;
    }
    await new Promise(setImmediate);
  }
};

const streamsToItsEnd = async (): Promise<void> => {
  const run = await world.run();
  const heard = (await world.open(gateway, paths.native(run))).all();
  await world.say(run, RunStarted, ...tokens('a', 'b'), RunFinished);
  expect(eventsOf(await heard).map(({ kind }) => kind)).toEqual([
    'RunStarted',
    'TokenDelta',
    'TokenDelta',
    'RunFinished',
  ]);
};

describe('A run with an event that cannot be read', () => {
  it.each(SORTS)('because it %s, ends its own stream, and no other', async (sort) => {
    const run = await world.run();
    await world.say(run, RunStarted);
    const broken = await world.open(gateway, paths.native(run));
    const heard = broken.all();
    const other = await world.run();
    const otherHeard = (await world.open(gateway, paths.native(other))).all();
    await publish(poisonOf(run, 'TokenDelta', sort));

    expect((await heard).at(-1)).toMatchObject({ data: expect.stringContaining('EVENT_INVALID') });
    expect(await letterOf(run, 'run-streams')).toMatchObject({ reason: expect.stringContaining('[EVENT_INVALID]') });
    expect((await world.open(gateway, paths.native(run))).status).toBeGreaterThanOrEqual(400); // who comes later is told
    await letterOf(run, 'run-streams'); // once

    await world.say(other, RunStarted, RunFinished);
    expect(eventsOf(await otherHeard).map(({ kind }) => kind)).toEqual(['RunStarted', 'RunFinished']);
    await streamsToItsEnd();
  });
});

describe('A feed', () => {
  it.each(SORTS)('passes over an event that %s, and tells what comes behind it', async (sort) => {
    const broken = await world.run();
    const live = (await world.open(gateway, '/agents/events?kinds=RunStarted')).take(1);
    await publish(poisonOf(broken, 'RunStarted', sort));
    const run = await world.run();
    await world.say(run, RunStarted);
    expect(eventsOf(await live)).toMatchObject([{ runId: run.runId }]);
    expect(await letterOf(broken, 'tenant-feed')).toMatchObject({ reason: expect.stringContaining('[EVENT_INVALID]') });

    const replayed = await world.open(gateway, '/agents/events?kinds=RunStarted&after=start');
    for (;;) {
      const [event] = eventsOf(await replayed.take(1));
      if (event?.runId === run.runId) break;
      expect(event).toBeDefined();
    }
    await letterOf(broken, 'tenant-feed'); // once
  });

  it('of one agent goes on past a run whose agent cannot be read', async () => {
    const broken = { tenantId: world.ada, runId: (await world.run()).runId.replace(/.{4}$/, 'ZZZZ') } as RunRef;
    const asked = await world.run(world.ada, { ...RunRequested, agent: 'critic' });
    const live = (await world.open(gateway, '/agents/events?kinds=RunStarted&agent=critic')).take(1);
    await publish(poisonOf(broken, 'RunRequested', 'is no JSON'));
    await publish({
      subject: subjects.event({ ...broken, kind: 'RunStarted' }),
      data: JSON.stringify({ ...eventFixture('RunStarted'), ...broken }),
    });
    await world.say(asked, RunStarted);
    expect(eventsOf(await live)).toMatchObject([{ runId: asked.runId }]);
    expect(await letterOf(broken, 'run-streams')).toMatchObject({ streamSequence: 0 });
  });
});
