import type { RunRef } from '@millrace/contracts';
import { EMPTY_TAIL } from '@millrace/ports';
import { RawLog } from './raw-log.js';
import { oursAtLeast, print } from './report.js';
import type { StackWorld } from './stack-world.js';
import { median, timed } from './stopwatch.js';

const EVENTS = 10_000;
const RUNS = 2;
const READERS = 15;

/** W5: a client that comes late to a long run, and reads it from the beginning. */
export async function benchReaders(stack: StackWorld): Promise<void> {
  const runs = await Promise.all(Array.from({ length: RUNS }, () => longRun(stack)));
  const [run] = runs;
  if (run === undefined) throw new Error('There is no run to read');
  const raw = new RawLog(stack.bench.nats);
  await raw.read(run, 1_000); // warm
  const rawRate = perSecond([await timed(() => raw.read(run, 1_000)), await timed(() => raw.read(run, 1_000))]);
  const cold: number[] = [];
  for (const each of runs) cold.push(await readBySse(stack, each));
  const warm: number[] = [];
  for (let reader = 0; reader < READERS; reader += 1) warm.push(await readBySse(stack, run));
  print(`W5: an SSE client reads a run of ${EVENTS} events; raw: direct gets of the raw client, parsed as JSON`, [
    { name: 'the first who reads it', unit: 'events/s', ours: perSecond(cold), raw: rawRate },
    { name: 'those after it', unit: 'events/s', ours: perSecond(warm), raw: rawRate, goal: oursAtLeast(500_000) },
  ]);
}

const perSecond = (times: readonly number[]): number => (EVENTS * 1_000) / median(times);

/** Written past the services: only its length counts. */
async function longRun({ bench, tenantId }: StackWorld): Promise<RunRef> {
  const run = { ...bench.newRun(), tenantId };
  let tail = EMPTY_TAIL;
  for (let at = 0; at < EVENTS; at += 1) ({ tail } = await bench.log.append(run, bench.token(), tail));
  return run;
}

function readBySse({ client }: StackWorld, { runId }: RunRef): Promise<number> {
  return timed(async () => {
    const listener = await client.listen(runId);
    await listener.heard(EVENTS - 1);
    listener.close();
    if (listener.count !== EVENTS) throw new Error(`Heard ${listener.count} of ${EVENTS} events`);
  });
}
