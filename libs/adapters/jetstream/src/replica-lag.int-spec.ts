import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EventId, FACT_FIXTURES, RunId, type RunEvent, type RunFact, type RunRef, TenantId } from '@millrace/contracts';
import { type Appended, EMPTY_TAIL, type ReadOptions, type RunLog, StoreUnavailable, type Tail } from '@millrace/ports';
import { type LaggingNatsCluster, startLaggingNatsCluster } from '@millrace/testing/servers';
import { type NatsConnection, TimeoutError } from '@nats-io/nats-core';
import { ulid } from 'ulid';
import { JetStreamBlobStore } from './jetstream-blob-store.js';
import { JetStreamRunLog } from './jetstream-run-log.js';
import { connectNats } from './nats-connection.js';
import { STREAMS } from './topology.js';
import { setUpTopology } from './topology-setup.js';

let cluster: LaggingNatsCluster;
let connections: NatsConnection[];
/** Of a process that writes, and of another one that hears of what was written from a message. */
let writer: RunLog;
let told: RunLog;
beforeAll(async () => {
  cluster = await startLaggingNatsCluster();
  const urls = [cluster.urls[0] ?? '', cluster.laggard.url];
  connections = await Promise.all(urls.map((url) => connectNats({ url, name: 'spec' })));
  const [mine, theirs] = connections as [NatsConnection, NatsConnection];
  await setUpTopology(mine, { replicas: 3, maxLogBytes: 1024 ** 3, maxBlobBytes: 1024 ** 3 });
  await leadElsewhere(mine, theirs.info?.server_name ?? '');
  writer = new JetStreamRunLog(mine, new JetStreamBlobStore(mine));
  told = new JetStreamRunLog(theirs, new JetStreamBlobStore(theirs));
  await answersReads();
});
afterAll(async () => {
  cluster.release();
  await Promise.all(connections.map((nats) => nats.close()));
  await cluster.stop();
});

/** A leader that is cut off would have to be replaced first; a follower that is cut off only lags. */
async function leadElsewhere(nats: NatsConnection, laggard: string): Promise<void> {
  for (;;) {
    const leader = await leaderOf(nats);
    if (leader !== undefined && leader !== laggard) return;
    if (leader === laggard) await nats.request(`$JS.API.STREAM.LEADER.STEPDOWN.${STREAMS.runs}`);
  }
}

/** Undefined while the servers elect one. */
async function leaderOf(nats: NatsConnection): Promise<string | undefined> {
  try {
    const info = await nats.request(`$JS.API.STREAM.INFO.${STREAMS.runs}`);
    return info.json<{ cluster?: { leader?: string } }>().cluster?.leader;
  } catch (error) {
    if (error instanceof TimeoutError) return undefined; // only a leader answers
    throw error;
  }
}

/** A follower answers direct gets only once it has caught up with its leader, a moment after the stream was made. */
async function answersReads(): Promise<void> {
  for (;;) {
    try {
      return void (await told.read(aNewRun()));
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
    }
  }
}

const aNewRun = (): RunRef => ({ tenantId: TenantId.parse(ulid()), runId: RunId.parse(ulid()) });

const append = (run: RunRef, fact: RunFact, tail: Tail): Promise<Appended> =>
  writer.append(run, { ...fact, eventId: EventId.parse(ulid()), ts: '2026-01-12T10:00:00.000Z' }, tail);

/** What the other process sees of a run whose last event its replica does not have yet. */
async function aRunThatMovedOn(): Promise<{ run: RunRef; before: RunEvent[]; last: Appended }> {
  const run = aNewRun();
  const first = await append(run, FACT_FIXTURES.RunRequested, EMPTY_TAIL);
  const second = await append(run, FACT_FIXTURES.RunStarted, first.tail);
  await told.read(run, EMPTY_TAIL, { atLeast: second.tail.streamSequence });
  cluster.hold();
  const last = await append(run, FACT_FIXTURES.RunCancelRequested, second.tail);
  return { run, before: [first.event, second.event], last };
}

describe('A reader that is told of an event its replica does not have yet', () => {
  it('sees the past and takes it for all there is, when it does not say how far it must see', async () => {
    const { run, before } = await aRunThatMovedOn();

    // Told of the wish to cancel it finds none, has nothing to do, and settles the message: the run stands still.
    expect(await told.read(run)).toMatchObject({ events: before, hasMore: false });
    expect(await told.tail(run)).toMatchObject({ position: 1 });

    cluster.release();
  });

  it.each<[string, (last: Appended) => ReadOptions['atLeast']]>([
    ['the place it was told of', ({ tail }) => tail.streamSequence],
    ['all there is now', () => 'now'],
  ])('waits until its replica has it, when it asks for %s', async (_, atLeast) => {
    const { run, before, last } = await aRunThatMovedOn();
    let isAnswered = false;
    const whole = told.read(run, EMPTY_TAIL, { atLeast: atLeast(last) }).finally(() => (isAnswered = true));
    const tail = told.tail(run, { atLeast: atLeast(last) });

    for (let look = 0; look < 20; look += 1) expect((await told.read(run)).events).toEqual(before);
    expect(isAnswered).toBe(false);
    cluster.release();

    expect(await whole).toEqual({ events: [...before, last.event], tail: last.tail, hasMore: false });
    expect(await tail).toEqual(last.tail);
  });
});
