import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventFixture, RunId, type RunRef, subjects } from '@millrace/contracts';
import { EMPTY_TAIL } from '@millrace/ports';
import { eventPoisons, type Poison, strangeSubject } from '@millrace/testing';
import { headers } from '@nats-io/nats-core';
import { JetStreamDeadLetters } from './dead-letters.js';
import { JetStreamBlobStore } from './jetstream-blob-store.js';
import { JetStreamEventFeed } from './jetstream-event-feed.js';
import { JetStreamRunRequests } from './jetstream-run-requests.js';
import { JetStreamTenantFeed } from './jetstream-tenant-feed.js';
import { aRun, SpecNats, token } from './spec-nats.for-spec.js';

let spec: SpecNats;
let blobs: JetStreamBlobStore;
beforeAll(async () => {
  spec = await SpecNats.start();
  blobs = new JetStreamBlobStore(spec.nats);
});
afterAll(() => spec.stop());

/** Past our log, as only an admin can. Resolves with its place. */
const publish = async (poison: Omit<Poison, 'sort'>): Promise<number> => {
  const told = headers();
  for (const [name, value] of Object.entries(poison.headers ?? {})) told.set(name, value);
  const answer = await spec.nats.request(poison.subject, poison.data, { headers: told, timeout: 5_000 });
  return answer.json<{ seq: number }>().seq;
};

const SORTS = eventPoisons(eventFixture('RunRequested'), 'RunRequested').map(({ sort }) => sort);
const poisonIn = (run: RunRef, sort: string): Poison =>
  eventPoisons(run, 'RunRequested').find((poison) => poison.sort === sort)!;

const aPayloadThatIsNoJson = async (run: RunRef): Promise<Omit<Poison, 'sort'>> => {
  const input = await blobs.put(run.tenantId, new TextEncoder().encode('no JSON'), 'application/json');
  const event = { ...eventFixture('RunRequested'), ...run, input };
  return {
    ...{ subject: subjects.event({ ...run, kind: 'RunRequested' }), data: JSON.stringify(event) },
    headers: { 'Millrace-Position': '0', 'Millrace-Sequence': '-1', 'Millrace-Referenced': 'input' },
  };
};

describe('The event feed', () => {
  const seenBehind = async (after: number, count: number) => {
    const stop = new AbortController();
    const seen = [];
    for await (const batch of new JetStreamEventFeed(spec.nats, blobs).batches({
      ...{ afterStreamSequence: after, signal: stop.signal },
    })) {
      seen.push(...batch);
      if (seen.length >= count) break;
    }
    stop.abort();
    return seen;
  };

  it.each(SORTS)('says of an event that %s that it is none, and gives the next', async (sort) => {
    const run = aRun();
    const poison = poisonIn(run, sort);
    const place = await publish(poison);
    const { event } = await (await spec.openLog()).append(aRun(), token('next'), EMPTY_TAIL);
    expect(await seenBehind(place - 1, 2)).toMatchObject([
      { streamSequence: place, subject: poison.subject, invalid: expect.stringMatching(/./) },
      { event },
    ]);
  });

  it('does so of an event whose payload is no JSON', async () => {
    const place = await publish(await aPayloadThatIsNoJson(aRun()));
    const { event } = await (await spec.openLog()).append(aRun(), token('next'), EMPTY_TAIL);
    expect(await seenBehind(place - 1, 2)).toMatchObject([
      { invalid: expect.stringContaining('is no JSON text') },
      { event },
    ]);
  });
});

describe('The feed of a tenant', () => {
  it.each(SORTS)('tells that an event %s, and gives what lies behind it', async (sort) => {
    const run = aRun();
    const place = await publish(poisonIn(run, sort));
    const strange = await publish(strangeSubject(run));
    const another = { ...run, runId: RunId.parse(run.runId.replace(/.{4}$/, 'ZZZZ')) };
    const { event } = await (await spec.openLog()).append(another, token('next'), EMPTY_TAIL);
    const feed = new JetStreamTenantFeed(spec.nats, blobs);
    const page = await feed.page({ tenantId: run.tenantId, kinds: ['RunRequested', event.kind] }, place - 1, 10);
    expect(page).toMatchObject({
      events: [{ event }],
      unreadable: [{ streamSequence: place, error: { redelivery: 'park' } }],
      hasMore: false,
    });
    expect(page.upTo).toBeGreaterThan(strange);
  });
});

describe('The requests of a tenant', () => {
  it('are found behind what lies on their subject and names no run', async () => {
    const run = aRun();
    const subject = `tenant.${run.tenantId}.run.nobody.RunRequested`;
    const places = [];
    for (let count = 0; count < 5; count += 1) places.push(await publish({ subject, data: '' }));
    const poison = await publish(poisonIn(run, 'is no JSON'));
    const found = await new JetStreamRunRequests(spec.nats).page(run.tenantId, places[0]!, 2, poison);
    expect(found).toEqual([{ runId: run.runId, streamSequence: poison }]);
  });
});

describe('Dead letters whose place is not known', () => {
  it('are kept apart by their subject, and stored once', async () => {
    const letters = new JetStreamDeadLetters(spec.nats);
    const about = { consumer: 'run-streams', reason: 'no event', attempts: 1, stream: 'RUNS', streamSequence: 0 };
    const [one, other] = [subjects.run(aRun()), subjects.run(aRun())];
    for (const subject of [one, other, one]) await letters.add({ ...about, subject, data: new Uint8Array() });
    expect((await letters.list(10)).map(({ subject }) => subject)).toEqual([one, other]);
  });
});
