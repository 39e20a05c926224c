import { RunCommandHandler } from '@millrace/application';
import { isTerminal, RunId, type RunEvent, type RunRef, TenantId } from '@millrace/contracts';
import { type ListeningProcess, spawnListening } from '@millrace/local-servers';
import { EMPTY_TAIL, type Tail } from '@millrace/ports';
import { join } from 'node:path';
import { BenchWorld } from './bench-world.js';
import { RawLog } from './raw-log.js';
import { type Measure, print } from './report.js';
import { median, now, percentile, timed } from './stopwatch.js';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const AGENTS = join(ROOT, 'deploy', 'bench', 'agents', 'bench.mjs');
const WORKERS = 2;
const STEPS = 100;

interface PlainGraph {
  invoke(input: unknown, config?: unknown): Promise<unknown>;
}

/** Whole runs through real processes, beside plain LangGraph in one process and beside what the log can take at most. */
export async function benchRun(): Promise<void> {
  const world = await BenchWorld.open(true);
  const processes = await startServices(world);
  try {
    const client = new RunClient(world);
    const plain = (await import(AGENTS)) as Record<'two' | 'chain', PlainGraph>;
    await client.ended(await client.request('two', {})); // warm
    print('Runs through one orchestrator and two workers; raw: plain LangGraph in one process, nothing stored', [
      await runsPerSecond(client, plain.two, 1, 40),
      await runsPerSecond(client, plain.two, 64, 320),
      await stepOverhead(client, plain.chain),
    ]);
    print('The same; raw: the appends a run makes, by the raw client alone', [
      await againstTheLog(world, client, 1, 40),
      await againstTheLog(world, client, 64, 320),
    ]);
    print('Tokens; raw: the append of one event', await tokens(world, client));
    print('A worker killed with -9; raw: how long the server waits for a worker to speak', [
      await continuation(world, client, processes),
    ]);
  } finally {
    await Promise.all([...processes].map(({ child }) => child.stop('SIGTERM', 10_000)));
    await world.close();
  }
}

async function runsPerSecond(client: RunClient, graph: PlainGraph, atOnce: number, count: number): Promise<Measure> {
  const ours = (count * 1_000) / (await timed(() => client.many('two', {}, atOnce, count)));
  const plainly = async () => {
    for (let at = 0; at < count; at += 1) await graph.invoke({});
  };
  await plainly();
  const raw = (count * 1_000) / (await timed(plainly));
  return { name: `runs of 2 nodes, ${atOnce} at a time`, unit: '/s', ours, raw };
}

async function stepOverhead(client: RunClient, graph: PlainGraph): Promise<Measure> {
  const input = { steps: STEPS, count: 0 };
  const ours: number[] = [];
  const raw: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    ours.push((await timed(async () => client.ended(await client.request('chain', input)))) / STEPS);
    raw.push((await timed(() => graph.invoke(input, { recursionLimit: 1_000 }))) / STEPS);
  }
  return { name: `a step of a ${STEPS}-step chain`, unit: 'ms', ours: median(ours), raw: median(raw) };
}

async function againstTheLog(world: BenchWorld, client: RunClient, atOnce: number, count: number): Promise<Measure> {
  const ours = (count * 1_000) / (await timed(() => client.many('two', {}, atOnce, count)));
  const events = (await client.ended(await client.request('two', {}))).length;
  const raw = new RawLog(world.nats);
  const appendAll = async () => {
    const run = world.newRun();
    const body = raw.bodyOf(run, world.token());
    let last = 0;
    for (let at = 0; at < events; at += 1) last = await raw.append(run, world.ids.next(), body, last);
  };
  const limit = (count * 1_000) / (await timed(() => inParallel(atOnce, count, appendAll)));
  return { name: `runs of 2 nodes (${events} events), ${atOnce} at a time`, unit: '/s', ours, raw: limit };
}

async function tokens(world: BenchWorld, client: RunClient): Promise<Measure[]> {
  const append = await appendMs(world);
  const paced = await client.latencies({ tokens: 300, everyMs: 10 });
  const total = 20_000;
  const elapsed = await timed(async () => client.ended(await client.request('talk', { tokens: total, everyMs: 0 })));
  return [
    { name: 'token said to follower p50, 100/s', unit: 'ms', ours: percentile(paced, 0.5), raw: append },
    { name: 'token said to follower p99, 100/s', unit: 'ms', ours: percentile(paced, 0.99), raw: append },
    { name: 'tokens of one run at full speed', unit: '/s', ours: (total * 1_000) / elapsed, raw: 1_000 / append },
  ];
}

async function appendMs(world: BenchWorld): Promise<number> {
  const run = world.newRun();
  let tail: Tail = EMPTY_TAIL;
  const times: number[] = [];
  for (let at = 0; at < 200; at += 1) {
    times.push(await timed(async () => ({ tail } = await world.log.append(run, world.token(), tail))));
  }
  return median(times);
}

/** From the kill to the next thing the run says, on the worker that is left. */
async function continuation(world: BenchWorld, client: RunClient, processes: Set<ListeningProcess>): Promise<Measure> {
  const run = await client.request('chain', { steps: 1, count: 0, pauseMs: 20_000 });
  await client.until(run, ({ kind }) => kind === 'NodeStarted');
  const workers = [...processes].slice(1);
  const fresh = await spawnService(world, 'node-workers');
  processes.add(fresh);
  const killedAt = now();
  for (const worker of workers) worker.child.kill('SIGKILL');
  await client.until(run, (event) => event.kind === 'NodeStarted' && event.attempt === 2);
  return { name: 'until its node is started again', unit: 'ms', ours: now() - killedAt, raw: 6_000 };
}

class RunClient {
  readonly #handler: RunCommandHandler;
  readonly #tenantId: TenantId;

  constructor(private readonly world: BenchWorld) {
    this.#handler = new RunCommandHandler(world);
    this.#tenantId = TenantId.parse(world.ids.next());
  }

  async request(agent: string, input: unknown): Promise<RunRef> {
    const ref = { tenantId: this.#tenantId, runId: RunId.parse(this.world.ids.next()) };
    const order = { agent, appId: 'bench', policy: 'default', input, userId: 'bench' };
    await this.#handler.handle({ kind: 'RequestRun', ...ref, ...order });
    return ref;
  }

  many(agent: string, input: unknown, atOnce: number, count: number): Promise<void> {
    return inParallel(atOnce, count, async () => void (await this.ended(await this.request(agent, input))));
  }

  ended(run: RunRef): Promise<RunEvent[]> {
    return this.until(run, isTerminal);
  }

  async until(run: RunRef, isSo: (event: RunEvent) => boolean): Promise<RunEvent[]> {
    const events: RunEvent[] = [];
    for await (const event of this.world.log.follow(run)) {
      events.push(event);
      if (isSo(event)) break;
    }
    return events;
  }

  /** For each token how long it was on its way: its text is when it was said. */
  async latencies(input: { tokens: number; everyMs: number }): Promise<number[]> {
    const run = await this.request('talk', input);
    const times: number[] = [];
    for await (const event of this.world.log.follow(run)) {
      const heardAt = performance.timeOrigin + performance.now();
      if (event.kind === 'TokenDelta') {
        for (const said of event.text.trim().split(' ')) times.push(heardAt - Number(said));
      }
      if (isTerminal(event)) break;
    }
    return times;
  }
}

async function inParallel(atOnce: number, count: number, work: () => Promise<void>): Promise<void> {
  let left = count;
  const lane = async () => {
    while (left > 0) {
      left -= 1;
      await work();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}

async function startServices(world: BenchWorld): Promise<Set<ListeningProcess>> {
  const orchestrator = await spawnService(world, 'orchestrator');
  const workers = await Promise.all(Array.from({ length: WORKERS }, () => spawnService(world, 'node-workers')));
  return new Set([orchestrator, ...workers]);
}

const spawnService = (world: BenchWorld, name: string): Promise<ListeningProcess> =>
  spawnListening({
    command: process.execPath,
    args: ['--enable-source-maps', join(ROOT, 'services', name, 'dist', 'main.js')],
    env: {
      ...process.env,
      NATS_URL: world.url,
      PORT: '0',
      AGENT_MODULES: AGENTS,
      MAX_ACTIVE_RUNS_PER_TENANT: '100',
    },
  });
