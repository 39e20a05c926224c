import { RunSession, RunWriter } from '@millrace/application';
import { JetStreamBlobStore, JetStreamRunLog, type NatsConnection } from '@millrace/adapter-jetstream';
import { type RunRef, subjects, TaskKey } from '@millrace/contracts';
import { EMPTY_TAIL, type Tail } from '@millrace/ports';
import { setTimeout as pause } from 'node:timers/promises';
import { BenchWorld, tokenFact } from './bench-world.js';
import { RawLog } from './raw-log.js';
import { type Measure, print } from './report.js';
import { inTurn, median, now, percentile, timed } from './stopwatch.js';

const ONE_RUN = 300;
const RUNS = 64;
const EACH = 12;
const TOKENS = 20_000;
const LONG = 10_000;
const LATENCIES = 300;

const atLeast = (share: number): Measure['goal'] => ({ text: `≥ ${share}`, isMet: (ratio) => ratio >= share });

/** The event log beside the raw NATS client doing the same in the same run. */
export async function benchLog(): Promise<void> {
  for (const syncAlways of [true, false]) {
    const world = await BenchWorld.open(syncAlways);
    try {
      const measures = [
        await appendsOnOneRun(world),
        await appendLatency(world, 0.5),
        await appendLatency(world, 0.99),
        await appendsOnManyRuns(world),
        await tokens(world),
        ...(await longRun(world)),
        ...(await followLatency(world)),
      ];
      print(
        syncAlways ? 'Log, every append synced to disk (as npm start and production)' : 'Log, without sync',
        measures,
      );
    } finally {
      await world.close();
    }
  }
}

async function appendsOnOneRun(world: BenchWorld): Promise<Measure> {
  const raw = new RawLog(world.nats);
  const rates = await inTurn(
    7,
    async () => (ONE_RUN * 1_000) / (await timed(() => ourAppends(world, world.newRun(), ONE_RUN))),
    async () => (ONE_RUN * 1_000) / (await timed(() => rawAppends(world, raw, world.newRun(), ONE_RUN))),
  );
  return { name: 'appends, one run', unit: '/s', ...rates, goal: atLeast(0.8) };
}

async function appendLatency(world: BenchWorld, share: number): Promise<Measure> {
  const raw = new RawLog(world.nats);
  const ours: number[] = [];
  const theirs: number[] = [];
  const [one, other] = [world.newRun(), world.newRun()];
  let tail: Tail = EMPTY_TAIL;
  let last = 0;
  for (let at = 0; at < LATENCIES; at += 1) {
    ours.push(await timed(async () => ({ tail } = await world.log.append(one, world.token(), tail))));
    const draft = world.token();
    const body = raw.bodyOf(other, draft);
    theirs.push(await timed(async () => (last = await raw.append(other, draft.eventId, body, last))));
  }
  return { name: `append p${share * 100}`, unit: 'ms', ours: percentile(ours, share), raw: percentile(theirs, share) };
}

async function appendsOnManyRuns(world: BenchWorld): Promise<Measure> {
  const raw = new RawLog(world.nats);
  const all = (work: (run: RunRef) => Promise<unknown>) => () =>
    Promise.all(Array.from({ length: RUNS }, () => work(world.newRun())));
  const rates = await inTurn(
    7,
    async () => (RUNS * EACH * 1_000) / (await timed(all((run) => ourAppends(world, run, EACH)))),
    async () => (RUNS * EACH * 1_000) / (await timed(all((run) => rawAppends(world, raw, run, EACH)))),
  );
  return { name: `appends, ${RUNS} runs`, unit: '/s', ...rates, goal: atLeast(0.8) };
}

/** A model that speaks faster than the log stores: tokens merge, beside one publish for each token. */
async function tokens(world: BenchWorld): Promise<Measure> {
  const raw = new RawLog(world.nats);
  const rates = await inTurn(
    3,
    async () => {
      const writer = await aSpeaker(world);
      return (TOKENS * 1_000) / (await timed(() => sayAll(writer)));
    },
    async () => (ONE_RUN * 1_000) / (await timed(() => rawAppends(world, raw, world.newRun(), ONE_RUN))),
  );
  return { name: 'tokens, merged while they wait', unit: '/s', ...rates };
}

async function sayAll(writer: RunWriter): Promise<void> {
  for (let at = 0; at < TOKENS; at += 1) {
    writer.say(tokenFact(' token'), refused);
    if (at % 20 === 19) await new Promise((resolve) => setImmediate(resolve)); // as they come from a socket
  }
  await writer.flush();
}

const refused = (error: unknown): never => {
  throw error;
};

async function longRun(world: BenchWorld): Promise<Measure[]> {
  const raw = new RawLog(world.nats);
  const run = world.newRun();
  const other = world.newRun();
  let tail: Tail = EMPTY_TAIL;
  let otherTail: Tail = EMPTY_TAIL;
  for (let at = 0; at < LONG; at += 1) {
    ({ tail } = await world.log.append(run, world.token(), tail));
    if (at % 2 === 0) ({ tail: otherTail } = await world.log.append(other, world.token(), otherTail));
  }
  const replay = await inTurn(
    5,
    async () => (LONG * 1_000) / (await timed(() => world.log.read(run))),
    async () => (LONG * 1_000) / (await timed(() => raw.read(run, 1_000))),
  );
  const middle = LONG / 2;
  const seek = await inTurn(
    9,
    () => timed(() => world.log.read(run, { sequence: middle }, { limit: 1 })),
    () => timed(() => raw.read(run, 1_000, middle)),
  );
  return [
    { name: `replay of ${LONG.toLocaleString('en')} events`, unit: 'events/s', ...replay, goal: atLeast(0.7) },
    { name: 'seek to its middle (raw: reading up to it)', unit: 'ms', ...seek },
  ];
}

/** From the call of append to the follower in another connection; beside a plain subscriber to the live subject. */
async function followLatency(world: BenchWorld): Promise<Measure[]> {
  const listener = await world.connect();
  const ours = await ourLatencies(world, listener);
  const raw = await rawLatencies(world, listener);
  const roundTrips = ours.map(({ stored }) => stored);
  await listener.close();
  const added = median(roundTrips);
  const goal = {
    text: 'adds less than one append',
    isMet: (_: number, { ours, raw = 0 }: Measure) => ours - raw < added,
  };
  const at = (share: number): Measure => ({
    name: `append to follower p${share * 100}`,
    unit: 'ms',
    ours: percentile(
      ours.map(({ heard }) => heard),
      share,
    ),
    raw: percentile(raw, share),
  });
  return [{ ...at(0.5), goal }, at(0.99)];
}

async function ourLatencies(world: BenchWorld, listener: NatsConnection): Promise<{ heard: number; stored: number }[]> {
  const log = new JetStreamRunLog(listener, new JetStreamBlobStore(listener));
  const run = world.newRun();
  let { tail } = await world.log.append(run, world.token(), EMPTY_TAIL);
  const following = log.follow(run);
  await following.next();
  const times: { heard: number; stored: number }[] = [];
  for (let at = 0; at < LATENCIES; at += 1) {
    const begin = now();
    const hearing = following.next().then(() => now() - begin);
    ({ tail } = await world.log.append(run, world.token(), tail));
    times.push({ stored: now() - begin, heard: await hearing });
  }
  await following.return?.();
  return times;
}

async function rawLatencies(world: BenchWorld, listener: NatsConnection): Promise<number[]> {
  const raw = new RawLog(world.nats);
  const run = world.newRun();
  const live = listener.subscribe(subjects.live(run))[Symbol.asyncIterator]();
  await listener.flush();
  const times: number[] = [];
  let last = 0;
  for (let at = 0; at < LATENCIES; at += 1) {
    const draft = world.token();
    const body = raw.bodyOf(run, draft);
    const begin = now();
    const hearing = live.next().then(() => now() - begin);
    last = await raw.append(run, draft.eventId, body, last);
    times.push(await hearing);
  }
  return times;
}

async function ourAppends(world: BenchWorld, run: RunRef, count: number): Promise<void> {
  let tail: Tail = EMPTY_TAIL;
  for (let at = 0; at < count; at += 1) ({ tail } = await world.log.append(run, world.token(), tail));
}

async function rawAppends(world: BenchWorld, raw: RawLog, run: RunRef, count: number): Promise<void> {
  const body = raw.bodyOf(run, world.token());
  let last = 0;
  for (let at = 0; at < count; at += 1) last = await raw.append(run, world.ids.next(), body, last);
}

async function aSpeaker(world: BenchWorld): Promise<RunWriter> {
  const run = world.newRun();
  const session = await RunSession.open(world, run);
  const writer = new RunWriter(session, world.log, { pause: (ms) => pause(ms) });
  const key = TaskKey.parse('1/say');
  const { text, kind, ...speaker } = tokenFact('x');
  await writer.write({
    kind: 'RequestRun',
    ...run,
    agent: 'bench',
    appId: 'bench',
    policy: 'default',
    input: {},
    userId: 'bench',
  });
  await writer.write({ kind: 'StartRun', ...run, agentVersion: '1' });
  await writer.write({ kind: 'ScheduleNodes', ...run, tasks: [{ key, node: 'say', iteration: 1, inputHash: 'x' }] });
  await writer.write({ kind: 'StartNode', ...run, ...speaker });
  return writer;
}
