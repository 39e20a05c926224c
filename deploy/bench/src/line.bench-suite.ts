import { JetStreamBlobStore, JetStreamEventFeed } from '@millrace/adapter-jetstream';
import { RunCommandHandler } from '@millrace/application';
import { RUN_EVENT_KINDS, RunId, TenantId } from '@millrace/contracts';
import { spawnService, spawnWorker } from './service-process.js';
import { BenchWorld } from './bench-world.js';
import { type Measure, print } from './report.js';
import { now } from './stopwatch.js';

const RUNS = Number(process.env['LINE_RUNS'] ?? '4000');
const ASKED_AT_ONCE = 64;
const WORKERS = 2;

/** Very many runs that wait in line, and then for a person: how fast they start, from the first to the last. */
export async function benchLine(): Promise<void> {
  const world = await BenchWorld.open(true);
  const services = [
    await spawnService('orchestrator', { NATS_URL: world.url }),
    ...(await Promise.all(Array.from({ length: WORKERS }, () => spawnWorker(world.url)))),
  ];
  try {
    await startsOf(world, 1); // warm
    const starts = await startsOf(world, RUNS);
    const quarters = [0, 1, 2, 3].map((at) => rateBetween(starts, at / 4, (at + 1) / 4));
    const title = `${RUNS.toLocaleString('en')} runs of an agent that waits for a person, asked for at once`;
    print(
      `${title}; raw: the first quarter`,
      quarters.map((rate, at): Measure => {
        const about = { name: `starts of quarter ${at + 1}`, unit: '/s', ours: rate, raw: quarters[0]! };
        return at === 3 ? { ...about, goal: STEADY } : about;
      }),
    );
  } finally {
    await Promise.all(services.map(({ child }) => child.stop('SIGTERM', 10_000)));
    await world.close();
  }
}

const STEADY: Measure['goal'] = { text: '>= 0.8', isMet: (ratio) => ratio >= 0.8 };

/** When each of them was heard to start, in order; resolves when all of them wait for a person. */
async function startsOf(world: BenchWorld, count: number): Promise<readonly number[]> {
  const stop = new AbortController();
  const feed = new JetStreamEventFeed(world.nats, new JetStreamBlobStore(world.nats));
  const exclude = RUN_EVENT_KINDS.filter((kind) => kind !== 'RunStarted' && kind !== 'NodeSuspended');
  const tenantId = TenantId.parse(world.ids.next());
  const asking = askFor(world, tenantId, count);
  const starts: number[] = [];
  let suspended = 0;
  for await (const batch of feed.batches({ afterStreamSequence: 0, exclude, signal: stop.signal })) {
    for (const stored of batch) {
      if (!('event' in stored) || stored.event.tenantId !== tenantId) continue;
      if (stored.event.kind === 'RunStarted') starts.push(now());
      else suspended += 1;
    }
    if (suspended === count) break;
  }
  stop.abort();
  await asking;
  return starts;
}

async function askFor(world: BenchWorld, tenantId: TenantId, count: number): Promise<void> {
  const handler = new RunCommandHandler(world);
  const order = { agent: 'ask', appId: 'bench', policy: 'default', input: {}, userId: 'bench' };
  const ask = () => handler.handle({ kind: 'RequestRun', tenantId, runId: RunId.parse(world.ids.next()), ...order });
  for (let left = count; left > 0; left -= ASKED_AT_ONCE) {
    await Promise.all(Array.from({ length: Math.min(left, ASKED_AT_ONCE) }, ask));
  }
}

/** Both as shares of all starts. */
const rateBetween = (starts: readonly number[], from: number, to: number): number => {
  const [first, last] = [from, to].map((share) => Math.min(Math.floor(share * starts.length), starts.length - 1));
  return ((last! - first!) * 1_000) / (starts[last!]! - starts[first!]!);
};
