import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Database, openDatabase, ProjectionStore, RunReader } from '@millrace/adapter-postgres';
import { type RunRef, TenantId } from '@millrace/contracts';
import { foldRunRows, type RunRows } from '@millrace/run-views';
import { type SpecPostgres, startSpecPostgres } from '@millrace/testing/services';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Cluster } from './cluster.for-spec.js';

/** The same kills at the same moments, as far as processes can be made to repeat themselves. */
const SEED = Number(process.env['CHAOS_SEED'] ?? Date.now() % 1_000_000);
const RUNS = 500;
const AT_ONCE = 32;
const REBUILD = join(import.meta.dirname, '..', '..', '..', 'services', 'projector', 'dist', 'rebuild', 'main.js');

let postgres: SpecPostgres;
let cluster: Cluster;
let database: Database;
beforeAll(async () => {
  postgres = await startSpecPostgres('chaos');
  const databaseUrl = postgres.urlFor('projector');
  database = await openDatabase({ url: databaseUrl, applicationName: 'e2e' });
  cluster = await Cluster.start(
    { orchestrator: 1, 'node-workers': 1, projector: 1 },
    { DATABASE_URL: databaseUrl, MAX_ACTIVE_RUNS_PER_TENANT: '100' },
  );
});
afterAll(async () => {
  await cluster?.stop();
  await database?.close();
  await postgres?.stop();
});

/** mulberry32 */
function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % sides;
  };
}

/** Tells when so many runs have ended: the moments at which something is killed. */
class Ended {
  count = 0;
  #waiting: { readonly count: number; readonly resolve: () => void }[] = [];

  add(): void {
    this.count++;
    for (const { count, resolve } of this.#waiting) if (count <= this.count) resolve();
  }
  reaches(count: number): Promise<void> {
    if (count <= this.count) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ count, resolve }));
  }
}

/** Kills, waits until what was killed is back, and again at a moment further on. Resolves with how often. */
async function overAndOver(ended: Ended, seed: number, kill: () => Promise<void>): Promise<number> {
  const roll = dice(seed);
  let kills = 0;
  for (let at = 1 + roll(30); at < RUNS; at = ended.count + 1 + roll(30)) {
    await ended.reaches(at);
    await kill();
    kills++;
  }
  return kills;
}

async function killProjector(): Promise<void> {
  await Promise.all(cluster.of('projector').map((projector) => cluster.kill(projector)));
  await cluster.spawn('projector');
}

async function killPostgres(): Promise<void> {
  await postgres.kill('SIGKILL');
  await postgres.restart();
}

/** So many at once: more would only wait for each other, until one gives up. */
async function inLanes<T, R>(
  items: readonly T[],
  lanes: number,
  work: (item: T, at: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const left = items.entries();
  const lane = async () => {
    for (const [at, item] of left) results.push(await work(item, at));
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return results;
}

async function doRuns(ended: Ended): Promise<RunRef[]> {
  const tenants = Array.from({ length: 3 }, () => TenantId.parse(cluster.ids.next()));
  return inLanes(Array.from({ length: RUNS }), AT_ONCE, async (_, at) => {
    const input = { steps: 2, tokensPerStep: 2, ...(at % 50 === 0 ? { failAtStep: 1 } : {}) };
    const run = await cluster.request('treadmill', input, tenants[at % tenants.length]);
    await cluster.ended(run);
    ended.add();
    return run;
  });
}

interface Folded {
  readonly run: RunRef;
  readonly rows: RunRows;
}

/** The fold of the log for each of the runs, once the projector has come to the end of them all. */
async function foldOfTheLog(of: readonly RunRef[]): Promise<Folded[]> {
  let last = 0;
  const folded = await inLanes(of, 8, async (run) => {
    const { events, tail } = await cluster.log.read(run);
    last = Math.max(last, tail.streamSequence);
    return { run, rows: foldRunRows(events) };
  });
  const store = new ProjectionStore(database);
  for (const deadline = Date.now() + 60_000; (await store.load('read-models')) < last;) {
    if (Date.now() > deadline) throw new Error(`the projector has not come to ${last}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return folded;
}

async function expectStored(folded: readonly Folded[]): Promise<void> {
  const reader = new RunReader(database);
  await inLanes(folded, 8, async ({ run, rows }) => {
    expect(await reader.rows(run.tenantId, run.runId)).toEqual(rows);
  });
  expect(await rowCounts()).toMatchObject({
    runs: folded.length, // and none that nobody asked for
    steps: folded.flatMap(({ rows }) => rows.steps).length,
    messages: folded.flatMap(({ rows }) => rows.messages).length,
    projection_poison: 0,
  });
}

const TABLES = [
  ...['runs', 'steps', 'messages', 'tool_calls', 'input_requests', 'run_logs'],
  ...['trail', 'checkpoints', 'dead_letters', 'threads', 'projection_poison'],
];

/** Of every table, as the owner sees it. */
async function ofEachTable<T>(expression: string): Promise<Record<string, T>> {
  const owner = await openDatabase({ url: postgres.ownerUrl, applicationName: 'e2e' });
  const found: Record<string, T> = {};
  for (const table of TABLES) {
    const [row] = await owner.query<{ value: T }>(`select ${expression} as value from ${table} t`);
    if (row !== undefined) found[table] = row.value;
  }
  await owner.close();
  return found;
}

const rowCounts = () => ofEachTable<number>('count(*)::int');
/** Whatever the order of the rows. */
const contents = () => ofEachTable<string | null>(`md5(string_agg(t::text, ' ' order by t::text))`);

/** Killed once it has said something that matches; what it said. */
async function rebuild(killAt?: RegExp): Promise<{ code: number | null; said: string }> {
  const env = { ...process.env, NODE_OPTIONS: '', NATS_URL: cluster.natsUrl('admin'), DATABASE_URL: postgres.ownerUrl };
  const child = spawn(process.execPath, [REBUILD], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (killAt?.test(said) === true) child.kill('SIGKILL');
    });
  }
  const [code] = await exited;
  return { code, said };
}

describe(`The read models of ${RUNS} runs`, () => {
  it(`are the fold of the log after kills of projector and PostgreSQL (CHAOS_SEED=${SEED} repeats them)`, async () => {
    const ended = new Ended();
    const [runs, projectors, databases] = await Promise.all([
      doRuns(ended),
      overAndOver(ended, SEED, killProjector),
      overAndOver(ended, SEED + 1, killPostgres),
    ]);
    expect([projectors > 1, databases > 1, runs.length]).toEqual([true, true, RUNS]);
    await expectStored(await foldOfTheLog(runs));
  });

  it('are untouched by a rebuild that is killed, and the same after the next', async () => {
    const before = await contents();
    const killed = await rebuild(/events \(/);
    expect([killed.code, await contents()]).toEqual([null, before]);
    const { code, said } = await rebuild();
    expect([code, said]).toEqual([0, expect.stringMatching(/Rebuilt from [\d,]+ events in [\d.]+ s, 0 set aside: /)]);
    expect(said).toContain(` ${RUNS} runs,`);
    expect(await contents()).toEqual(before);

    const after = await cluster.request('echo', { text: 'and on it goes' });
    await cluster.ended(after);
    const [{ rows } = { rows: undefined }] = await foldOfTheLog([after]);
    expect(await new RunReader(database).rows(after.tenantId, after.runId)).toEqual(rows);
  });
});
