import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FACT_FIXTURES, MAX_INLINE_BYTES, type RunRef, subjects, THREAD_CREATED_FIXTURE } from '@millrace/contracts';
import { EMPTY_TAIL, type StoredEvent, type Tail } from '@millrace/ports';
import { JetStreamBlobStore } from './jetstream-blob-store.js';
import { JetStreamEventFeed } from './jetstream-event-feed.js';
import { aRun, SpecNats, token, until } from './spec-nats.for-spec.js';

let spec: SpecNats;
beforeAll(async () => {
  spec = await SpecNats.start();
});
afterAll(() => spec.stop());

const reading = (afterStreamSequence: number, exclude?: ['TokenDelta']) => {
  const stop = new AbortController();
  const seen: StoredEvent[] = [];
  const sizes: number[] = [];
  const feed = new JetStreamEventFeed(spec.nats, new JetStreamBlobStore(spec.nats));
  const start = { afterStreamSequence, signal: stop.signal, maxBatch: 50, ...(exclude ? { exclude } : {}) };
  const ended = (async () => {
    for await (const batch of feed.batches(start)) {
      sizes.push(batch.length);
      seen.push(...batch);
    }
  })();
  return { seen, sizes, stop: () => (stop.abort(), ended) };
};

const fill = async (run: RunRef, count: number): Promise<void> => {
  const log = await spec.openLog();
  let tail: Tail = EMPTY_TAIL;
  for (let at = 0; at < count; at += 1) ({ tail } = await log.append(run, token(`t${at}`), tail));
};

describe('The event feed', () => {
  it('gives everything from a place on, in stored order and in batches, then what comes', async () => {
    const [one, other] = [aRun(), aRun()];
    await Promise.all([fill(one, 120), fill(other, 120)]);
    const feed = reading(10);
    await until(() => feed.seen.length === 230);
    await fill(aRun(), 5);
    await until(() => feed.seen.length === 235);
    await feed.stop();
    expect(feed.seen.map(({ streamSequence }) => streamSequence)).toEqual(
      Array.from({ length: 235 }, (_, at) => at + 11),
    );
    expect(Math.max(...feed.sizes)).toBeLessThanOrEqual(50);
    expect(Math.min(...feed.sizes)).toBeGreaterThan(0);
  });

  it('leaves out kinds nobody asked for, and goes on where it stood after the server was gone', async () => {
    const feed = reading(0, ['TokenDelta']);
    const log = await spec.openLog({ appendTimeoutMs: 1_000 });
    const run = aRun();
    const draft = (kind: 'RunStarted' | 'RunFinished') => ({ ...token('x'), ...FACT_FIXTURES[kind] });
    const { tail } = await log.append(run, draft('RunStarted'), EMPTY_TAIL);
    await until(() => feed.seen.length === 1);
    await spec.server.kill('SIGKILL');
    await spec.server.restart();
    await until(async () =>
      log.append(run, draft('RunFinished'), tail).then(
        () => true,
        () => false,
      ),
    );
    await until(() => feed.seen.length === 2);
    await feed.stop();
    expect(feed.seen.map((stored) => 'event' in stored && stored.event.kind)).toEqual(['RunStarted', 'RunFinished']);
  });

  it('gives threads and large payloads like any other event, and says what it cannot read', async () => {
    const { streamSequence: last } = await (
      await spec.openLog()
    )
      .append(aRun(), token('last'), EMPTY_TAIL)
      .then(({ tail }) => tail);
    const run = aRun();
    const log = await spec.openLog();
    const { eventId, ts } = token('x');
    const large = { ...FACT_FIXTURES.NodeFinished, eventId, ts, output: 'y'.repeat(2 * MAX_INLINE_BYTES) };
    const { event } = await log.append(run, large, EMPTY_TAIL);
    await spec.nats.request(subjects.threadEvent(THREAD_CREATED_FIXTURE), JSON.stringify(THREAD_CREATED_FIXTURE));
    await spec.nats.request(subjects.event({ ...run, kind: 'RunStarted' }), 'no event');
    await spec.nats.request('tenant.x.run.y.RunStarted', JSON.stringify(event));
    const feed = reading(last);
    await until(() => feed.seen.length === 4);
    await feed.stop();
    const [first, second, third, fourth] = feed.seen;
    expect(first).toMatchObject({ event });
    expect(second).toMatchObject({ event: THREAD_CREATED_FIXTURE });
    expect(third).toMatchObject({
      subject: subjects.event({ ...run, kind: 'RunStarted' }),
      invalid: expect.any(String),
    });
    expect(fourth).toMatchObject({ invalid: expect.stringContaining('subject of no event') });
  });
});
