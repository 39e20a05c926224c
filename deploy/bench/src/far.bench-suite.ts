import { JetStreamBlobStore, JetStreamRunLog } from '@millrace/adapter-jetstream';
import { RunCommandHandler } from '@millrace/application';
import { FACT_FIXTURES, RunId, type RunEventKind, type RunRef } from '@millrace/contracts';
import { EMPTY_TAIL, type Tail } from '@millrace/ports';
import { ForeignMessages } from './foreign-messages.js';
import { type Measure, print } from './report.js';
import { median, timed } from './stopwatch.js';
import { StreamWorld } from './stream-world.js';

/** Messages of other runs between what a run did before and what it does now; FAR_MESSAGES names others. */
const DISTANCES = (process.env['FAR_MESSAGES'] ?? '0,10000,100000').split(',').map(Number);
const RUNS = 60;
const WARM_UP = 3;

const WAITING: RunEventKind[] = [
  ...(['RunRequested', 'RunStarted', 'NodeScheduled', 'NodeStarted'] as const),
  ...(['ModelRequested', 'ModelResponded', 'InputRequested', 'NodeSuspended'] as const),
];
const ANSWERED: RunEventKind[] = ['InputProvided', 'NodeStarted', 'TokenDelta', 'TokenDelta', 'NodeFinished'];

interface Story {
  /** What the run did before the others, and what it did behind them. */
  readonly before: RunEventKind[];
  readonly after?: RunEventKind[];
  readonly measure: (world: FarWorld, run: RunRef, tail: Tail) => Promise<unknown>;
}

/** Each on a log that is opened for it, as in a process that knows nothing of the run. */
const STORIES: Readonly<Record<string, Story>> = {
  'start: from the request to RunStarted': {
    before: ['RunRequested'],
    measure: (world, run, { streamSequence }) =>
      world.handler().handle({ kind: 'StartRun', ...run, agentVersion: '1' }, streamSequence),
  },
  'wake: the answer, and what the worker reads': {
    before: WAITING,
    measure: async (world, run, { streamSequence }) => {
      const { requestId, response, by } = FACT_FIXTURES.InputProvided;
      const answer = { requestId, response, by };
      await world.handler().handle({ kind: 'ProvideInput', ...run, ...answer }, streamSequence);
      return world.log().read(run, EMPTY_TAIL, { atLeast: 'now' });
    },
  },
  'retry: the request, and the history': {
    before: [...WAITING, ...ANSWERED, 'GraphEnded', 'RunFinished'],
    measure: async (world, run) => {
      const log = world.log();
      await log.read(run, EMPTY_TAIL, { limit: 1, atLeast: 'now' });
      return log.read(run, EMPTY_TAIL, { atLeast: 'now' });
    },
  },
  'replay: a cold read': {
    before: WAITING,
    after: ANSWERED,
    measure: (world, run) => world.log().read(run),
  },
  'replay: over the stream gateway': {
    before: WAITING,
    after: ANSWERED,
    measure: (world, run, { sequence }) => world.listen(run, sequence),
  },
  'follow: over the stream gateway, behind the end': {
    before: WAITING,
    measure: (world, run, tail) => world.followOne(run, tail),
  },
};

/** What a run costs while others have stored much between its events, beside a run that is alone. */
export async function benchFar(): Promise<void> {
  const world = new FarWorld(await StreamWorld.open());
  try {
    await world.warmUp();
    const rows = await world.storeAll([...DISTANCES].sort((a, b) => b - a));
    const measures: Measure[] = [];
    for (const story of Object.keys(STORIES)) {
      const times = await timesOf(world, rows, story);
      for (const distance of DISTANCES) {
        const [ours, alone] = [times.get(distance)!, times.get(DISTANCES[0]!)!];
        const name = `${story}, ${distance.toLocaleString('en')}`;
        measures.push({ name, unit: 'ms', ours: median(ours), raw: median(alone), goal: FLAT });
      }
    }
    const title = `A run with so many messages of others in one gap between its events, median of ${RUNS} runs`;
    print(`${title}; raw: ${DISTANCES[0]} of them`, measures);
  } finally {
    await world.close();
  }
}

const FLAT: Measure['goal'] = { text: '<= 1.2', isMet: (ratio) => ratio <= 1.2 };

/** The distances in turn, forth and back, so that what disturbs one disturbs the others as much. */
async function timesOf(world: FarWorld, rows: readonly Row[], name: string): Promise<Map<number, number[]>> {
  const times = new Map<number, number[]>(rows.map(({ distance }) => [distance, []]));
  for (let at = 0; at < RUNS; at += 1) {
    for (const { distance, runs } of at % 2 === 0 ? rows : rows.toReversed()) {
      const { run, tail } = runs.get(name)![at]!;
      times.get(distance)!.push(await timed(() => STORIES[name]!.measure(world, run, tail)));
    }
  }
  return times;
}

interface Begun {
  readonly run: RunRef;
  readonly tail: Tail;
}

interface Row {
  readonly distance: number;
  readonly runs: ReadonlyMap<string, Begun[]>;
}

class FarWorld {
  readonly #foreign: ForeignMessages;

  constructor(private readonly streams: StreamWorld) {
    this.#foreign = new ForeignMessages(streams.bench.nats, streams.tenantId);
  }

  log(): JetStreamRunLog {
    const { nats } = this.streams.bench;
    return new JetStreamRunLog(nats, new JetStreamBlobStore(nats));
  }

  handler(): RunCommandHandler {
    const { ids, clock } = this.streams.bench;
    return new RunCommandHandler({ log: this.log(), ids, clock });
  }

  async listen(run: RunRef, until: number, after?: number): Promise<void> {
    const listener = await this.streams.listen(run, after);
    await listener.heard(until);
    listener.close();
  }

  async followOne(run: RunRef, tail: Tail): Promise<void> {
    const listener = await this.streams.listen(run, tail.sequence);
    const next = await this.append(run, ['InputProvided'], tail);
    await listener.heard(next.sequence);
    listener.close();
  }

  async warmUp(): Promise<void> {
    for (const story of Object.values(STORIES)) {
      for (let at = 0; at < WARM_UP; at += 1) {
        const { run, tail } = await this.begin(story);
        await story.measure(this, run, await this.append(run, story.after ?? [], tail));
      }
    }
  }

  /** The widest gap opens first, and all of them end at the same place: each message lies in the gaps of many runs. */
  async storeAll(widestFirst: readonly number[]): Promise<Row[]> {
    const rows: Row[] = [];
    for (const [at, distance] of widestFirst.entries()) {
      const runs = new Map<string, Begun[]>();
      for (const [name, story] of Object.entries(STORIES)) {
        runs.set(name, await Promise.all(Array.from({ length: RUNS }, () => this.begin(story))));
      }
      rows.push({ distance, runs });
      await this.#foreign.store(distance - (widestFirst[at + 1] ?? 0));
    }
    for (const { runs } of rows) {
      for (const [name, begun] of runs) {
        for (const [at, { run, tail }] of begun.entries()) {
          begun[at] = { run, tail: await this.append(run, STORIES[name]!.after ?? [], tail) };
        }
      }
    }
    return rows;
  }

  close(): Promise<void> {
    return this.streams.close();
  }

  private async begin({ before }: Story): Promise<Begun> {
    const run = { tenantId: this.streams.tenantId, runId: RunId.parse(this.streams.bench.ids.next()) };
    return { run, tail: await this.append(run, before, EMPTY_TAIL) };
  }

  private async append(run: RunRef, kinds: readonly RunEventKind[], tail: Tail): Promise<Tail> {
    const { log, ids, clock } = this.streams.bench;
    for (const kind of kinds) {
      const stamp = { eventId: ids.next(), ts: clock.now().toISOString() };
      ({ tail } = await log.append(run, { ...FACT_FIXTURES[kind], ...stamp }, tail));
    }
    return tail;
  }
}
