import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isTerminal, RunId, type RunRef } from '@millrace/contracts';
import { EMPTY_TAIL, StoreUnavailable } from '@millrace/ports';
import { setTimeout as pause } from 'node:timers/promises';
import { Cluster } from './cluster.for-spec.js';
import { ReplicaTrouble } from './replica-trouble.for-spec.js';
import { expectSoundStory } from './sound-story.for-spec.js';

/** `npm run chaos:replicas` sets them. */
const RUNS = Number(process.env['REPLICAS_RUNS'] || 48);
const ROUNDS = Number(process.env['REPLICAS_ROUNDS'] || 1);
const WAYS = (process.env['REPLICAS_WAYS'] || 'troubled').split(',');
const AT_ONCE = 16;
/** A run that says nothing for so long, with nobody to wait for, stands still. */
const PATIENCE_MS = 60_000;
const TEST_MS = 120_000 + RUNS * 1_000;
/** The second net is out of the way: what stands still stays so, and is seen. */
const NO_NET = { STANDING_AFTER_SECONDS: '86400' };

let cluster: Cluster;
beforeAll(async () => {
  cluster = await Cluster.start({ orchestrator: 2, 'node-workers': 2 }, NO_NET, 3);
});
afterAll(() => cluster.stop());

/** As a client does: a request the store did not take is sent again under the same id. */
async function request(): Promise<RunRef> {
  const run = { tenantId: cluster.tenantId, runId: RunId.parse(cluster.ids.next()) };
  const order = { agent: 'echo', appId: 'e2e', policy: 'default', input: { text: 'one two three' }, userId: 'ada' };
  for (;;) {
    try {
      await cluster.handler.handle({ kind: 'RequestRun', ...run, ...order });
      return run;
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
    }
  }
}

/** What the run came to, or how far it had come when it stood still. */
async function runToEnd(standing: string[]): Promise<RunRef> {
  const run = await request();
  const over = new AbortController();
  let said: string[] = [];
  let watch = setTimeout(() => over.abort(), PATIENCE_MS);
  for await (const event of cluster.log.follow(run, EMPTY_TAIL, over.signal)) {
    said = [...said, event.kind];
    if (isTerminal(event)) break;
    watch = watch.refresh();
  }
  clearTimeout(watch);
  if (over.signal.aborted) standing.push(`${run.runId}: ${said.join(' ')}`);
  return run;
}

interface Round {
  readonly runs: readonly RunRef[];
  readonly standing: readonly string[];
  readonly seconds: number;
}

/** So many runs, and more while `isEnough` does not hold; 16 are under way at any time. */
async function round(isEnough: () => boolean): Promise<Round> {
  const begun = performance.now();
  const runs: RunRef[] = [];
  const standing: string[] = [];
  let asked = 0;
  const lane = async () => {
    while ((asked < RUNS || !isEnough()) && standing.length === 0) {
      asked += 1;
      runs.push(await runToEnd(standing));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return { runs, standing, seconds: (performance.now() - begun) / 1_000 };
}

async function expectAllEnded({ runs, standing }: Round): Promise<void> {
  if (standing.length > 0) await tellWhy();
  expect(standing).toEqual([]);
  expect(runs.length).toBeGreaterThanOrEqual(RUNS);
  for (const run of runs) {
    const { events } = await readSurely(run);
    expectSoundStory(events);
    expect(events.at(-1)).toMatchObject({ kind: 'RunFinished', output: { text: 'one two three' } });
  }
}

/** What the processes said last, for whoever reads the log of a failure. */
async function tellWhy(): Promise<void> {
  for (const process of cluster.processes) {
    console.log([process.role, JSON.stringify(await cluster.health(process)), ...process.lines.slice(-40)].join('\n'));
  }
}

async function readSurely(run: RunRef) {
  for (;;) {
    try {
      return await cluster.log.read(run, EMPTY_TAIL, { atLeast: 'now' });
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      await pause(50);
    }
  }
}

const told = ({ runs, standing, seconds }: Round, what: string): void =>
  console.log(
    `${runs.length} runs, ${AT_ONCE} at once, ${what}: ${runs.length - standing.length} ended in ${seconds.toFixed(1)} s`,
  );

const CASES = Array.from({ length: ROUNDS }, (_, at) => WAYS.map((way) => ({ way, at: at + 1 }))).flat();

describe('Runs on three servers', () => {
  it.each(CASES)(
    'all end, round $at, while the servers that hold the log are $way',
    async ({ way, at }) => {
      const done = way === 'calm' ? await calmRound(at) : await troubledRound(at);
      await expectAllEnded(done);
    },
    TEST_MS,
  );
});

async function calmRound(at: number): Promise<Round> {
  const done = await round(() => true);
  told(done, `round ${at}, undisturbed`);
  return done;
}

/** Followers are stopped for some seconds, again and again, and leaders killed with -9. */
async function troubledRound(at: number): Promise<Round> {
  const { trouble, over } = ReplicaTrouble.begin(cluster);
  const done = await round(() => trouble.stops >= 3 && trouble.deaths >= 1).finally(() => trouble.end());
  await over;
  told(done, `round ${at}, ${trouble.stops} followers stopped, ${trouble.deaths} leaders killed`);
  return done;
}
