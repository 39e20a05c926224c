import { FACT_FIXTURES, type RunEventKind, type RunFact, TenantId } from '@millrace/contracts';
import type { ListeningProcess } from '@millrace/local-servers';
import { EMPTY_TAIL } from '@millrace/ports';
import { setTimeout as pause } from 'node:timers/promises';
import { HTTP_ENV, tokenFor } from './bench-caller.js';
import { BenchDatabase } from './bench-database.js';
import { BenchWorld } from './bench-world.js';
import { HttpLoad } from './http-load.js';
import { inLanes } from './lanes.js';
import { RawInserts } from './raw-inserts.js';
import { type Measure, print } from './report.js';
import { spawnNode, spawnService, spawnWorker } from './service-process.js';
import { inTurn, median, now, percentile, timed } from './stopwatch.js';

/** run-api over HTTP beside the least a server could do, and the projector beside inserts of the rows it makes. */
export async function benchApi(): Promise<void> {
  const database = await BenchDatabase.open();
  try {
    await creations(database);
    await projection(database);
  } finally {
    await database.close();
  }
}

async function creations(database: BenchDatabase): Promise<void> {
  const world = await BenchWorld.open(true);
  const worker = await spawnWorker(world.url); // idle: without an orchestrator no run is dispatched
  const processes = [
    await spawnService('run-api', { ...HTTP_ENV, NATS_URL: world.url, DATABASE_URL: database.readerUrl }),
    await spawnNode('deploy/bench/dist/bare-route.js', { NATS_URL: world.url }),
  ];
  const [ours, raw] = await loads(world, processes);
  try {
    print('POST /agents/runs, every append synced; raw: a Fastify route with one publish', [
      ...(await atOnce(ours, raw, 1, 50)),
      ...(await atOnce(ours, raw, 64, 400)),
    ]);
  } finally {
    for (const load of [ours, raw]) load.close();
    await Promise.all([worker, ...processes].map(({ child }) => child.stop('SIGTERM', 10_000)));
    await world.close();
  }
}

const HALF = { text: '>= 0.5', isMet: (ratio: number) => ratio >= 0.5 };

async function atOnce(ours: HttpLoad, raw: HttpLoad, lanes: number, count: number): Promise<Measure[]> {
  const times = { ours: [] as number[], raw: [] as number[] };
  const perSecond = (load: HttpLoad, kept: number[]) => async () => {
    let latencies: number[] = [];
    const elapsed = await timed(async () => (latencies = await load.post(count, lanes)));
    kept.push(...latencies);
    return (count * 1_000) / elapsed;
  };
  const rates = await inTurn(3, perSecond(ours, times.ours), perSecond(raw, times.raw));
  const latency = (share: number) => ({ ours: percentile(times.ours, share), raw: percentile(times.raw, share) });
  return [
    { name: `runs created, ${lanes} at a time`, unit: '/s', ...rates, goal: HALF },
    { name: `  p50, ${lanes} at a time`, unit: 'ms', ...latency(0.5) },
    { name: `  p99, ${lanes} at a time`, unit: 'ms', ...latency(0.99) },
  ];
}

async function loads(world: BenchWorld, [api, bare]: readonly ListeningProcess[]): Promise<[HttpLoad, HttpLoad]> {
  const token = await tokenFor(TenantId.parse(world.ids.next()));
  const body = { agent: 'two', appId: 'bench', policy: 'default', input: { text: 'hello brave new world' } };
  const load = (process: ListeningProcess | undefined) =>
    new HttpLoad(`${process?.url}/agents/runs`, { authorization: `Bearer ${token}` }, body);
  return [load(api), load(bare)];
}

/** As many events as the projector takes at once. */
const BATCH = 1_000;
/** Long enough for a process that starts cold to be judged by its work. */
const RUNS = 4_000;
/** What a short run says, in its order. */
const STORY: readonly RunEventKind[] = [
  ...(['RunRequested', 'RunStarted', 'NodeScheduled', 'NodeStarted', 'ModelRequested', 'ModelResponded'] as const),
  ...(['ToolRequested', 'ToolFinished', 'LogWritten', 'MessageAdded', 'NodeFinished', 'RunFinished'] as const),
];

async function projection(database: BenchDatabase): Promise<void> {
  const world = await BenchWorld.open(false);
  try {
    const last = await fillLog(world);
    const perSecond = await projected(world, database, last);
    const raw = await RawInserts.of(database.owner);
    const rates: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      await raw.empty();
      rates.push((last * 1_000) / (await timed(() => raw.insert(Math.ceil(last / BATCH)))));
    }
    print(
      `The projector over ${last} events, which make ${raw.rows} rows; raw: inserts of these rows, ${BATCH} events each`,
      [{ name: 'events', unit: '/s', ours: perSecond, raw: median(rates), goal: HALF }],
    );
  } finally {
    await world.close();
  }
}

async function fillLog(world: BenchWorld): Promise<number> {
  let last = 0;
  await inLanes(64, RUNS, async () => {
    const run = world.newRun();
    let tail = EMPTY_TAIL;
    for (const kind of STORY) {
      const fact: RunFact = FACT_FIXTURES[kind];
      const draft = { ...fact, eventId: world.ids.next(), ts: world.clock.now().toISOString() };
      ({ tail } = await world.log.append(run, draft, tail));
    }
    last = Math.max(last, tail.streamSequence);
  });
  return last;
}

const LOOK_EVERY_MS = 10;

/** From the first batch it has stored to the last, so that its start does not count. */
async function projected(world: BenchWorld, database: BenchDatabase, last: number): Promise<number> {
  const env = { NATS_URL: world.url, DATABASE_URL: database.appUrl };
  const projector = await spawnService('projector', env);
  try {
    let begun = await database.position();
    while (begun === 0) begun = await database.position();
    const from = now();
    while ((await database.position()) < last) await pause(LOOK_EVERY_MS); // each look is work for the database as well
    return ((last - begun) * 1_000) / (now() - from);
  } finally {
    await projector.child.stop('SIGTERM', 10_000);
  }
}
