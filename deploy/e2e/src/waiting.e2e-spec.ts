import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { JetStreamBlobStore, JetStreamEventFeed } from '@millrace/adapter-jetstream';
import { RUN_EVENT_KINDS, TenantId, type RunEvent, type RunEventKind, type RunRef } from '@millrace/contracts';
import { setTimeout as pause } from 'node:timers/promises';
import { Cluster } from './cluster.for-spec.js';
import { INSPECTED, ProcessHeap } from './process-heap.for-spec.js';
import { expectSoundStory } from './sound-story.for-spec.js';

const WAITING = 1_000;
const FEW = 250;
/** One run in memory is its graph, its events and its state: far more than this. */
const MOST_BYTES_EACH = 4 * 1024;
/** Ids a process may still point at by accident: what came last lies in the buffers and caches of its libraries. */
const REMNANTS = 50;
/** The runs a dispatcher has at hand of each tenant, and some that started meanwhile. */
const FRONT_OF_THE_LINE = 100;
const AT_ONCE = 50;

let cluster: Cluster;
beforeAll(async () => {
  cluster = await Cluster.start({ orchestrator: 1, 'node-workers': 2 }, { MAX_ACTIVE_RUNS: '100', ...INSPECTED });
});
afterAll(() => cluster.stop());

/** All events of one kind as they are stored, over all runs, until so many have come. */
async function collect<K extends RunEventKind>(
  kind: K,
  count: number,
  { nats } = cluster,
): Promise<Extract<RunEvent, { kind: K }>[]> {
  const feed = new JetStreamEventFeed(nats, new JetStreamBlobStore(nats));
  const stop = new AbortController();
  const found: Extract<RunEvent, { kind: K }>[] = [];
  const exclude = RUN_EVENT_KINDS.filter((other) => other !== kind);
  for await (const batch of feed.batches({ afterStreamSequence: 0, exclude, signal: stop.signal })) {
    for (const stored of batch) {
      if ('event' in stored && stored.event.kind === kind) found.push(stored.event as Extract<RunEvent, { kind: K }>);
    }
    if (found.length >= count) break;
  }
  stop.abort();
  return found;
}

/** Resolves when each of them has been started or told that it waits. */
async function allTold({ nats }: Cluster, runs: readonly RunRef[]): Promise<void> {
  const untold = new Set<string>(runs.map(({ runId }) => runId));
  const feed = new JetStreamEventFeed(nats, new JetStreamBlobStore(nats));
  const stop = new AbortController();
  const exclude = RUN_EVENT_KINDS.filter((kind) => kind !== 'RunQueued' && kind !== 'RunStarted');
  for await (const batch of feed.batches({ afterStreamSequence: 0, exclude, signal: stop.signal })) {
    for (const stored of batch) if ('event' in stored && 'runId' in stored.event) untold.delete(stored.event.runId);
    if (untold.size === 0) break;
  }
  stop.abort();
}

async function inHandfuls<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < items.length; at += AT_ONCE) await Promise.all(items.slice(at, at + AT_ONCE).map(work));
}

/** What every process has in use once its garbage is collected. */
async function heaps(): Promise<number[]> {
  const bytes: number[] = [];
  for (const started of cluster.processes) {
    const heap = await ProcessHeap.of(started);
    bytes.push(await heap.usedBytes());
    heap.close();
  }
  return bytes;
}

/** Resolves when no process has more than so many of these ids anywhere in its heap. */
async function untilForgotten(runs: readonly RunRef[], { processes } = cluster, most = REMNANTS): Promise<void> {
  for (const started of processes) {
    const heap = await ProcessHeap.of(started);
    for (;;) {
      const begun = performance.now();
      if (idsIn(await heap.strings(), runs) <= most) break;
      // It stood still meanwhile. Looked at again at once it would do nothing else, and lose its lease each time.
      await pause(performance.now() - begun);
    }
    heap.close();
  }
}

const idsIn = (strings: readonly string[], runs: readonly RunRef[]): number => {
  const text = strings.join('\n');
  return runs.filter(({ runId }) => text.includes(runId)).length;
};

const inMegabytes = (bytes: readonly number[]): string =>
  bytes.map((used) => (used / 1024 ** 2).toFixed(1)).join(' / ');

describe(`${WAITING} runs that wait for a person`, () => {
  const runs: RunRef[] = [];
  const letWait = async (count: number) => {
    await inHandfuls(Array.from({ length: count - runs.length }), async () => {
      runs.push(await cluster.request('treadmill', { steps: 2, askAtStep: 1 }));
    });
    await collect('NodeSuspended', count);
  };

  it('hold nothing in the memory of any process', async () => {
    await letWait(FEW);
    await untilForgotten(runs);
    const few = await heaps();
    await letWait(WAITING);
    await untilForgotten(runs);
    const many = await heaps();
    const roles = [...cluster.processes].map(({ role }) => role).join(' / ');
    console.log(`MB in use, ${roles}: ${inMegabytes(few)} with ${FEW} runs, ${inMegabytes(many)} with ${WAITING}`);
    const grown = many.map((bytes, at) => (bytes - few[at]!) / (WAITING - FEW));
    expect(Math.max(...grown)).toBeLessThan(MOST_BYTES_EACH);
  });

  it('all go on after everything was restarted', async () => {
    await cluster.restart();
    const asked = await collect('InputRequested', WAITING);
    await inHandfuls(asked, async ({ tenantId, runId, requestId }) => {
      const answer = { requestId, response: { text: 'go on' }, by: 'ada' };
      await cluster.handler.handle({ kind: 'ProvideInput', tenantId, runId, ...answer });
    });
    const ended = await collect('RunFinished', WAITING);
    expect(new Set(ended.map(({ runId }) => runId))).toEqual(new Set(runs.map(({ runId }) => runId)));
    for (const run of runs.slice(0, 20)) expectSoundStory((await cluster.log.read(run)).events);
  });
});

describe('A tenant with very many waiting runs', () => {
  it("does not keep another tenant's single run waiting beyond one slot, nor its own in memory", async () => {
    const many = await Cluster.start({ orchestrator: 1, 'node-workers': 1 }, { MAX_ACTIVE_RUNS: '2', ...INSPECTED });
    try {
      const slow = { steps: 1, tokensPerStep: 4, tokensPerSecond: 4 };
      const waiting: RunRef[] = [];
      await inHandfuls(Array.from({ length: 2_000 }), async () => {
        waiting.push(await many.request('treadmill', slow));
      });
      const other = await many.request('treadmill', slow, TenantId.parse(many.ids.next()));
      const events = await many.ended(other);
      expectSoundStory(events);
      const { tail } = await many.log.read(other);
      const startedBefore = await startsBetween(many, events, tail.streamSequence);
      expect(startedBefore).toBeLessThanOrEqual(2); // those of the two slots

      await allTold(many, waiting);
      await untilForgotten(waiting, many, FRONT_OF_THE_LINE + REMNANTS);
    } finally {
      await many.stop();
    }
  });
});

/** How many runs of others were started between the run's request and its own start. */
async function startsBetween(many: Cluster, events: readonly RunEvent[], until: number): Promise<number> {
  const feed = new JetStreamEventFeed(many.nats, new JetStreamBlobStore(many.nats));
  const stop = new AbortController();
  const exclude = RUN_EVENT_KINDS.filter(
    (kind) => kind !== 'RunRequested' && kind !== 'RunStarted' && kind !== 'RunFinished',
  );
  const mine = events[0]!.runId;
  let isWaiting = false;
  let others = 0;
  for await (const batch of feed.batches({ afterStreamSequence: 0, exclude, signal: stop.signal })) {
    for (const stored of batch) {
      if (!('event' in stored) || !('runId' in stored.event)) continue;
      const { kind, runId } = stored.event;
      if (runId === mine && kind === 'RunRequested') isWaiting = true;
      else if (runId === mine && kind === 'RunStarted') isWaiting = false;
      else if (kind === 'RunStarted' && isWaiting) others += 1;
    }
    if ((batch.at(-1)?.streamSequence ?? 0) >= until) break;
  }
  stop.abort();
  return others;
}
