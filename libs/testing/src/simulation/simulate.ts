import { type Faults, type Lag, memoryPlatform, SeededRandom } from '@millrace/adapter-memory';
import { isTerminal, TenantId } from '@millrace/contracts';
import { createHash } from 'node:crypto';
import { Chaos, type ChaosOptions } from './chaos.js';
import { digestsAtOnce } from './digests-at-once.js';
import { Ledger } from './ledger.js';
import { PoisonedRuns } from './poisoned-runs.js';
import { Database } from './projected.js';
import { AGENTS } from './simulated-agents.js';
import { type ClientPlan, SimulatedClient } from './simulated-clients.js';
import { ROLES, type Role, type Service, startService, type Variant, type World } from './simulated-processes.js';
import { historiesIn, judge } from './verdict.js';

export interface SimulationOptions extends Partial<ChaosOptions> {
  readonly orchestrators?: number;
  readonly workers?: number;
  /** How many messages a worker takes at a time, and how many branches it runs beside. */
  readonly slots?: number;
  readonly branches?: number;
  readonly apis?: number;
  readonly projectors?: number;
  readonly runs?: number;
  /** How many runs beside them hold something that no service can read. */
  readonly poisoned?: number;
  readonly lag?: Lag;
  readonly faults?: Faults;
  readonly variant?: Variant;
  /** The longest a simulation may take, of its own time. */
  readonly mostMs?: number;
  /** Hears the story as it happens. */
  readonly tell?: (line: string) => void;
}

export interface Simulated {
  readonly seed: number;
  /** What must not be, in words; empty when all is well. */
  readonly findings: readonly string[];
  /** How often a run stood still until the sweep woke it. */
  readonly woken: number;
  readonly runs: number;
  readonly events: number;
  /** How many bodies, tools, models and effects were really done. */
  readonly deeds: number;
  readonly elapsedMs: number;
  readonly steps: number;
  /** Of all that was stored, and when. */
  readonly fingerprint: string;
}

const MOST_MS = 10 * 60_000;
const LOOK_EVERY = 16;

/**
 * The whole platform in one process: every service's core on the platform in memory, its clients, and what may go wrong.
 * All of it follows from the seed; what a seed does not find another one may, so the conditions are drawn from it as well.
 */
export const simulate = async (seed: number, options: SimulationOptions = {}): Promise<Simulated> => {
  const conditions = { ...conditionsOf(new SeededRandom(seed ^ 0x5eed)), ...options };
  const { lag, faults, variant = {}, mostMs = MOST_MS, tell: hear } = conditions;
  const platform = memoryPlatform({ seed, lag, faults });
  const { time, store } = platform;
  const random = new SeededRandom(seed ^ 0xbea7);
  const findings = new Set<string>();
  const found = (what: string) => void findings.add(what);
  const tell = (line: string) => hear?.(`${(time.elapsedMs / 1_000).toFixed(3)} ${line}`);
  const ledger = new Ledger();
  const database = new Database();
  const poisoned = new PoisonedRuns(platform, random);
  let woken = 0;
  const wake = ({ runId }: { runId: string }) => {
    if (poisoned.has(runId)) return;
    woken += 1;
    found(`run ${runId} stood still until the sweep woke it`);
    tell(`run ${runId} is woken`);
  };
  const { slots, branches } = conditions;
  const shared = { platform, random, ledger, database, poisoned, variant };
  const world: World = { ...shared, found, woken: wake, tell, slots, branches };

  const services: Service[] = [];
  let started = 0;
  const start = async (role: Role) => void services.push(await startService(role, world, (started += 1)));
  const replace = (service: Service) => {
    services.splice(services.indexOf(service), 1);
    time.at(time.nowMs() + random.below(3_000), () => void start(service.role));
  };
  const counts = countsOf(conditions);
  for (const role of ROLES) for (let at = 0; at < counts[role]; at += 1) void start(role);
  const chaos = new Chaos(platform, random, conditions, () => services, replace, tell);

  const clients = plansOf(random, conditions.runs).map(
    (plan) =>
      new SimulatedClient(
        {
          random,
          pause: (ms) => platform.pause(ms),
          api: () => services.find(({ role, process }) => role === 'api' && process.isMoving)?.orders,
          gateway: () => (gateway.isGone ? (gateway = platform.process()) : gateway),
          found,
        },
        plan,
      ),
  );
  for (let count = 0; count < conditions.poisoned; count += 1) poisoned.plant('chain');
  let gateway = platform.process();
  let left = clients.length;
  for (const client of clients)
    void client.live().then(
      () => (left -= 1),
      (error) => found(`a client: ${String(error)}`),
    );

  let open = 0;
  store.tasks.listen(({ subject }) => tell(`queued ${subject}`));
  store.runs.listen(({ stored, subject }) => {
    tell(`stored ${subject}`);
    if (stored?.event.kind === 'RunRequested') open += 1;
    else if (stored && 'runId' in stored.event && isTerminal(stored.event)) open -= 1;
  });
  const { orchestrator, 'node-workers': nodeWorkers, 'run-api-retries': retries } = store.consumers;
  const isOver = () =>
    left === 0 &&
    open === 0 &&
    [orchestrator, nodeWorkers, retries].every((consumer) => consumer.open.length === 0) &&
    database.position === store.runs.lastPlace;
  const restore = digestsAtOnce();
  const unhandled = (error: unknown) => found(`nobody handled ${String(error)}`);
  process.on('unhandledRejection', unhandled);
  try {
    await time.untilQuiet(() => time.elapsedMs > mostMs || (time.steps % LOOK_EVERY === 0 && isOver()));
  } finally {
    restore();
    process.off('unhandledRejection', unhandled);
  }
  judge({ world, clients, isOver: isOver(), wasCalm: chaos.troubles === 0 });
  const histories = historiesIn(platform, poisoned);
  return {
    ...{ seed, findings: [...findings], woken, runs: histories.size, deeds: ledger.size },
    events: store.runs.lastPlace,
    elapsedMs: time.elapsedMs,
    steps: time.steps,
    fingerprint: fingerprintOf(store.runs.messages),
  };
};

/** Drawn anew for each seed: now everything is in order, now the replicas lag, now processes die all the time. */
const conditionsOf = (random: SeededRandom) => {
  const maybe = (most: number) => (random.chance(0.5) ? random.next() * most : 0);
  const lag: Lag = { chance: random.pick([0, 0.2, 0.8]), mostMs: random.pick([50, 1_000, 3_000]) };
  const faults: Faults = {
    lostAnswers: maybe(0.05),
    refusedWrites: maybe(0.05),
    failedReads: maybe(0.05),
    lostWords: maybe(0.1),
    ...(random.chance(0.3) ? { leaseLostEveryMs: 20_000 } : {}),
  };
  return {
    ...{ lag, faults, crash: maybe(0.03), freeze: maybe(0.02), stop: maybe(0.01) },
    ...{
      orchestrators: 2,
      workers: random.between(1, 3),
      slots: random.between(1, 4),
      branches: random.between(0, 4),
      apis: 2,
      projectors: 2,
      runs: random.between(2, 6),
      poisoned: random.chance(0.3) ? random.between(1, 2) : 0,
    },
  };
};

const countsOf = ({
  orchestrators,
  workers,
  apis,
  projectors,
}: Required<Pick<SimulationOptions, 'orchestrators' | 'workers' | 'apis' | 'projectors'>>): Readonly<
  Record<Role, number>
> => ({
  orchestrator: orchestrators,
  worker: workers,
  api: apis,
  projector: projectors,
});

const TENANTS = ['01JH00000000000000000000T1', '01JH00000000000000000000T2'].map((id) => TenantId.parse(id));

/** And one that nobody has. */
const ASKED_FOR: readonly [string, ...string[]] = [
  'nobody',
  ...Object.keys(AGENTS).filter((agent) => agent !== 'improver'),
];

const plansOf = (random: SeededRandom, runs: number): ClientPlan[] =>
  Array.from({ length: runs }, (_, at) => {
    const agent = random.pick(ASKED_FOR);
    const does = (['cancel', 'pause', 'done'] as const)
      .filter((what) => random.chance(what === 'pause' ? 0.25 : what === 'cancel' ? 0.2 : 0.08))
      .map((what) => ({ what, afterMs: random.below(random.chance(0.4) ? 100 : 8_000) }));
    return {
      ...{ agent, does, key: `order ${at}`, tenantId: TENANTS[random.below(2)]! },
      startAfterMs: random.below(3_000),
      retries: random.chance(0.2) ? 1 : 0,
    };
  });

const fingerprintOf = (
  messages: readonly { subject: string; storedAtMs: number; data: string | Uint8Array }[],
): string => {
  const hash = createHash('sha256');
  for (const { subject, storedAtMs, data } of messages) hash.update(`${storedAtMs} ${subject} `).update(data);
  return hash.digest('hex');
};
