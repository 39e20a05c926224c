import { type RunRef, subjects } from '@millrace/contracts';
import type { Tail } from '@millrace/ports';
import { setTimeout as pause } from 'node:timers/promises';
import { type Measure, print } from './report.js';
import { median, now, percentile, timed } from './stopwatch.js';
import { StreamWorld } from './stream-world.js';

const PACED = 400;
const FULL_SPEED = 5_000;
const FAN = { runs: 100, clients: 100, tokens: 10 };
const STORM = 1_000;
const IDLE = 5_000;

/** One stream-gateway process on one machine, its clients and the nats-server all on loopback. */
export async function benchStream(): Promise<void> {
  const world = await StreamWorld.open();
  try {
    print('A token from its append to an SSE client; raw: to a plain subscriber of the same NATS subject', [
      ...(await pacedTokens(world)),
      await fullSpeed(world),
    ]);
    print('Many at once; raw: one client alone in the same run', [...(await fanOut(world)), ...(await storm(world))]);
    print('Memory of the process; raw: with no connection', await idle(world));
  } finally {
    await world.close();
  }
}

/** Every token's text is when it was handed to the log. */
async function pacedTokens(world: StreamWorld): Promise<Measure[]> {
  const run = await world.run();
  const rawAt: number[] = [];
  world.bench.nats.subscribe(subjects.live(run), { callback: () => void rawAt.push(now()) });
  await world.bench.nats.flush();
  const sentAt: number[] = [];
  const heardAt: number[] = [];
  const listener = await world.listen(run);
  await listener.heard(0);
  listener.onFrame = () => void heardAt.push(now());
  let tail = await world.bench.log.tail(run);
  const begin = now();
  for (let at = 0; at < PACED; at += 1) {
    await pause(Math.max(begin + at * 10 - now(), 0));
    sentAt.push(now());
    ({ tail } = await world.bench.log.append(run, world.bench.token(), tail));
  }
  await listener.heard(tail.sequence);
  listener.close();
  const since = (times: number[]) => times.map((time, at) => time - sentAt[at]!);
  const added = heardAt.map((time, at) => time - rawAt[at]!);
  const aim = { text: 'under 2 ms added', isMet: () => median(added) < 2 };
  return [
    {
      name: 'p50 at 100/s',
      unit: 'ms',
      ours: percentile(since(heardAt), 0.5),
      raw: percentile(since(rawAt), 0.5),
      goal: aim,
    },
    { name: 'p99 at 100/s', unit: 'ms', ours: percentile(since(heardAt), 0.99), raw: percentile(since(rawAt), 0.99) },
  ];
}

async function fullSpeed(world: StreamWorld): Promise<Measure> {
  const run = await world.run();
  let rawCount = 0;
  let rawEnd = 0;
  world.bench.nats.subscribe(subjects.live(run), {
    callback: () => {
      rawCount += 1;
      rawEnd = now();
    },
  });
  await world.bench.nats.flush();
  const listener = await world.listen(run);
  const begin = now();
  const tail = await world.say(run, FULL_SPEED);
  await listener.heard(tail.sequence);
  const end = now();
  listener.close();
  const rate = (until: number) => (FULL_SPEED * 1_000) / (until - begin);
  if (rawCount < FULL_SPEED) throw new Error(`The raw subscriber heard ${rawCount} of ${FULL_SPEED}`);
  return { name: 'tokens of one run at full speed', unit: '/s', ours: rate(end), raw: rate(rawEnd) };
}

async function fanOut(world: StreamWorld): Promise<Measure[]> {
  const runs = await Promise.all(Array.from({ length: FAN.runs }, () => world.run()));
  const tails = new Map<RunRef, Tail>();
  for (const run of runs) tails.set(run, await world.bench.log.tail(run));
  const latencies: number[] = [];
  const listeners = await world.listenAll(runs.flatMap((run) => Array.from({ length: FAN.clients }, () => run)));
  for (const listener of listeners) {
    listener.onFrame = (block) => {
      const [, said] = /"text":"([\d.]+)"/.exec(block) ?? [];
      if (said !== undefined) latencies.push(now() - Number(said));
    };
  }
  const elapsed = await timed(async () => {
    for (let at = 0; at < FAN.tokens; at += 1) {
      await Promise.all(
        runs.map(async (run) => {
          const draft = world.bench.token(String(now()));
          const { tail } = await world.bench.log.append(run, draft, tails.get(run)!);
          tails.set(run, tail);
        }),
      );
    }
    await Promise.all(listeners.map((listener) => listener.heard(FAN.tokens - 1 + 1)));
  });
  for (const listener of listeners) listener.close();
  const frames = FAN.runs * FAN.clients * FAN.tokens;
  const alone = await fanOfOne(world);
  return [
    {
      name: `${FAN.runs} runs x ${FAN.clients} clients, frames`,
      unit: '/s',
      ours: (frames * 1_000) / elapsed,
      raw: alone,
    },
    { name: '  append to client p50', unit: 'ms', ours: percentile(latencies, 0.5), raw: 1_000 / alone },
    { name: '  append to client p99', unit: 'ms', ours: percentile(latencies, 0.99), raw: 1_000 / alone },
  ];
}

/** One client of one run: frames a second when each waits for the one before. */
async function fanOfOne(world: StreamWorld): Promise<number> {
  const run = await world.run();
  const listener = await world.listen(run);
  let tail = await world.bench.log.tail(run);
  const elapsed = await timed(async () => {
    for (let at = 0; at < 100; at += 1) {
      ({ tail } = await world.bench.log.append(run, world.bench.token(), tail));
      await listener.heard(tail.sequence);
    }
  });
  listener.close();
  return 100_000 / elapsed;
}

/** All come back at once to a run of 2,000 events, each with another cursor. */
async function storm(world: StreamWorld): Promise<Measure[]> {
  const run = await world.run();
  const { sequence } = await world.say(run, 2_000);
  const one = await timed(async () => {
    const listener = await world.listen(run, 0);
    await listener.heard(sequence);
    listener.close();
  });
  const times: number[] = [];
  const all = await timed(() =>
    Promise.all(
      Array.from({ length: STORM }, async (_, at) => {
        const begin = now();
        const listener = await world.listen(run, (at * 7) % sequence);
        await listener.heard(sequence);
        times.push(now() - begin);
        listener.close();
      }),
    ),
  );
  return [
    { name: `${STORM} clients come back at once: all are up to date`, unit: 'ms', ours: all, raw: one },
    { name: '  half of them', unit: 'ms', ours: median(times), raw: one },
  ];
}

async function idle(world: StreamWorld): Promise<Measure[]> {
  await world.restartGateway();
  const runs = await Promise.all(Array.from({ length: 100 }, () => world.run()));
  const warm = await world.listenAll(runs.flatMap((run) => Array.from({ length: 5 }, () => run)));
  for (const listener of warm) listener.close();
  const before = await world.settledBytes();
  const listeners = await world.listenAll(Array.from({ length: IDLE }, (_, at) => runs[at % runs.length]!));
  const after = await world.settledBytes();
  for (const listener of listeners) listener.close();
  const perConnection = (after - before) / IDLE / 1024;
  const aim = { text: '30 KB a connection', isMet: () => perConnection <= 30 };
  return [
    { name: `${IDLE} idle connections`, unit: 'MB', ours: after / 1e6, raw: before / 1e6 },
    { name: '  for each', unit: 'KB', ours: perConnection, raw: 30, goal: aim },
  ];
}
