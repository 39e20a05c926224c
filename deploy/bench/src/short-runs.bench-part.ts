import { inLanes, inLanesFor, type Lap } from './lanes.js';
import { plainGraph } from './plain-graphs.js';
import { RawLog } from './raw-log.js';
import { type Goal, type Measure, oursAtLeast, oursAtMost, print } from './report.js';
import { type StackUse, useOf } from './stack-use.js';
import type { StackWorld } from './stack-world.js';
import { median, percentile } from './stopwatch.js';

interface Load {
  readonly clients: number;
  readonly runsAgain: number;
  readonly aims: { readonly rate: Goal; readonly p50?: Goal; readonly spread?: Goal };
}

const LOADS: readonly Load[] = [
  { clients: 1, runsAgain: 20, aims: { rate: oursAtLeast(90), p50: oursAtMost(11) } },
  { clients: 64, runsAgain: 128, aims: { rate: oursAtLeast(230), spread: oursAtMost(3) } },
];
/** A cold process is slower: the figures are of one that has run for a while. */
const WARM_RUNS = 1_500;
/** By time and not by number: a slow machine must not make the benchmark endless. */
const OURS_MS = 10_000;
const RAW_MS = 3_000;

/** W1: runs of two nodes, from the POST to the terminal frame; each client begins the next when its last has ended. */
export async function benchShortRuns(stack: StackWorld): Promise<StackUse[]> {
  const play = () => stack.client.play('two', {});
  await inLanes(32, WARM_RUNS, play);
  const uses: StackUse[] = [];
  const besideTheLog: Measure[] = [];
  for (const load of LOADS) {
    const { clients, runsAgain } = load;
    let ours: Lap = { times: [], perSecond: 0 };
    const work = async () => (ours = await inLanesFor(OURS_MS, clients, play)).times.length;
    const again = () => inLanes(clients, runsAgain, play).then(() => runsAgain);
    uses.push(await useOf(stack, { unit: `W1 run, ${clients} at a time`, work, again }));
    print(
      `W1: runs of 2 nodes, POST to terminal frame, ${clients} at a time; raw: plain LangGraph, nothing stored`,
      await besidePlain(load, ours),
    );
    besideTheLog.push(await againstTheLog(stack, load, ours));
  }
  print('The same; raw: the appends a run makes, by the raw client alone', besideTheLog);
  return uses;
}

async function besidePlain({ clients, aims }: Load, ours: Lap): Promise<Measure[]> {
  const graph = await plainGraph('two');
  await inLanes(clients, WARM_RUNS, () => graph.invoke({}));
  const plain = await inLanesFor(RAW_MS, clients, () => graph.invoke({}));
  const both = (name: string, unit: string, of: (lap: Lap) => number, goal?: Goal): Measure => ({
    ...{ name, unit, ours: of(ours), raw: of(plain) },
    ...(goal && { goal }),
  });
  return [
    both('runs', '/s', ({ perSecond }) => perSecond, aims.rate),
    both('p50', 'ms', p50, aims.p50),
    both('p99', 'ms', p99),
    both('max', 'ms', ({ times }) => Math.max(...times)),
    both('p99 / p50', 'times', (lap) => p99(lap) / p50(lap), aims.spread),
  ];
}

const p50 = ({ times }: Lap): number => median(times);
const p99 = ({ times }: Lap): number => percentile(times, 0.99);

async function againstTheLog(stack: StackWorld, { clients }: Load, ours: Lap): Promise<Measure> {
  const runId = await stack.client.request('two', {});
  await stack.client.follow(runId);
  const { events } = await stack.bench.log.read(stack.refOf(runId));
  const raw = new RawLog(stack.bench.nats);
  const limit = await inLanesFor(RAW_MS, clients, async () => {
    const run = stack.bench.newRun();
    const body = raw.bodyOf(run, stack.bench.token());
    let last = 0;
    for (let at = 0; at < events.length; at += 1) last = await raw.append(run, stack.bench.ids.next(), body, last);
  });
  const name = `runs of ${events.length} events, ${clients} at a time`;
  return { name, unit: '/s', ours: ours.perSecond, raw: limit.perSecond };
}
