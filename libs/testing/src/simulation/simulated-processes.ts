import type { MemoryPlatform, MemoryProcess } from '@millrace/adapter-memory';
import {
  AgentAnnouncements,
  AgentChecks,
  Dispatcher,
  RunOrders,
  RunOverseer,
  RunRetries,
  ServedVersions,
} from '@millrace/application';
import { parseSubject, RunId, type RunRef, type RunTask, WorkerId } from '@millrace/contracts';
import { type Delivery, type HandleDelivery, type KnownAgents, type Outcome, park, type RunLog } from '@millrace/ports';
import { AGENTS, type Hands, registryOf, SimulatedLlm } from './simulated-agents.js';
import { consumeAsOrchestrator, moverOn, PATIENT, workOn } from './memory-services.js';
import type { PoisonedRuns } from './poisoned-runs.js';
import type { Database } from './projected.js';
import type { Ledger } from './ledger.js';
import type { SeededRandom } from '@millrace/adapter-memory';
import { StepsRuntime } from './steps-graph.js';

/** What a spec puts in the place of parts, to see that the simulation finds what is wrong with them. */
export interface Variant {
  readonly runs?: (log: RunLog) => RunLog;
  readonly dispatcher?: (dispatcher: Dispatcher) => Dispatcher;
}

/** What all processes have of the simulated world, beside the platform. */
export interface World {
  readonly platform: MemoryPlatform;
  readonly random: SeededRandom;
  readonly ledger: Ledger;
  readonly database: Database;
  readonly poisoned: PoisonedRuns;
  readonly variant: Variant;
  /** How many messages a worker takes at a time, and how many branches it runs beside. */
  readonly slots: number;
  readonly branches: number;
  /** Something that must not be. */
  readonly found: (what: string) => void;
  readonly woken: (run: RunRef) => void;
  /** A line of the story, for whoever wants to read it. */
  readonly tell: (line: string) => void;
}

export const ROLES = ['orchestrator', 'worker', 'api', 'projector'] as const;
export type Role = (typeof ROLES)[number];

/** One process of a service; `close` is how it is stopped when nothing goes wrong. */
export interface Service {
  readonly role: Role;
  readonly name: string;
  readonly process: MemoryProcess;
  readonly close: () => Promise<void>;
  /** Of a process of run-api. */
  readonly orders?: RunOrders;
}

const GRACE_MS = 2_000;

export const startService = async (role: Role, world: World, number: number): Promise<Service> => {
  const name = `${role} ${number}`;
  const tell = (line: string) => world.tell(`${name}: ${line}`);
  return { ...(await STARTERS[role]({ ...world, tell })), role, name };
};

type Started = Omit<Service, 'role' | 'name'>;

const startOrchestrator = async (world: World): Promise<Started> => {
  const { process, log } = openProcess(world);
  const ports = { ...process, log };
  const overseer = new RunOverseer(ports);
  const stop = new AbortController();
  const agents = await catalogueOf(process, stop.signal);
  const dispatcher = new Dispatcher(
    {
      ...ports,
      agents,
      wake: (run: RunRef) => overseer.wake(run),
      offer: (task: RunTask) => overseer.started(task),
    },
    { maxActive: 4, maxActivePerTenant: 3, standingAfterMs: 20_000 },
    {
      leading: () => world.tell('dispatches'),
      interrupted: (cause) => world.tell(`dispatches no more: ${String(cause)}`),
      delayed: ({ runId }, cause) => world.tell(`run ${runId} is started later: ${String(cause)}`),
      sweepFailed: (cause) => world.tell(`could not sweep: ${String(cause)}`),
      standing: (run) => world.woken(run),
      stranded: ({ runId }, cause) => world.tell(`run ${runId} is stranded: ${cause}`),
      snapshotUnusable: (cause) => world.found(`the dispatcher's snapshot is unusable: ${String(cause)}`),
      setAside: ({ run, error }) => {
        if (!world.poisoned.has(run?.runId))
          world.found(`the dispatcher set run ${run?.runId} aside: ${String(error)}`);
      },
    },
  );
  const running = (world.variant.dispatcher?.(dispatcher) ?? dispatcher).run(stop.signal);
  const consuming = await consumeAsOrchestrator(process, overseer, log);
  return {
    process,
    close: async () => {
      stop.abort();
      await Promise.all([running, ...consuming.map((each) => each.close(GRACE_MS))]);
    },
  };
};

const startWorker = async (world: World): Promise<Started> => {
  const { process, log } = openProcess(world);
  const hands = handsOf(world, process);
  const agents = registryOf(hands);
  const stop = new AbortController();
  const announcements = new AgentAnnouncements(
    {
      ...{ catalogue: process.catalogue, agents },
      graphOf: async () => ({ nodes: [], edges: [] }),
      pause: (ms, signal) => process.pause(ms, signal),
    },
    { announced: () => {}, storeAway: () => {}, storeThere: () => {} },
    WorkerId.parse(process.ids.next()),
  );
  const announcing = announcements.run(stop.signal);
  const versions = new ServedVersions(process.catalogue);
  const mover = moverOn(process, {
    ...{ log, agents, branches: world.branches },
    graphs: new StepsRuntime((agent) => AGENTS[agent]!.plan(hands)),
    llm: new SimulatedLlm(hands),
    isVersionGone: (agent, version) => versions.isGone(agent, version),
    notes: {
      letGo: ({ runId, key }, attempt, why) => world.tell(`run ${runId} ${key} lets go of attempt ${attempt}: ${why}`),
      bodyFailed: ({ runId, key }, attempt, error) =>
        world.tell(`run ${runId} ${key} ${attempt} failed: ${String(error)}`),
      moveFailed: ({ runId }, error) => world.found(`run ${runId} could not be moved: ${String(error)}`),
      agentMissing: ({ runId }, error) => world.found(`run ${runId} has no agent: ${String(error)}`),
    },
  });
  const work = workOn(mover, process.tasks);
  const offered: HandleDelivery = (delivery) => {
    world.tell(`is given ${delivery.subject}, delivery ${delivery.attempt}`);
    return work(delivery);
  };
  const consuming = await process.deliveries.consume('node-workers', offered, {
    ...PATIENT,
    concurrency: world.slots,
    onTrouble: ({ subject }, { kind }, cause) => world.tell(`${kind} of ${subject}: ${String(cause)}`),
  });
  return {
    process,
    close: async () => {
      stop.abort();
      await announcing;
      await announcements.withdraw().catch(unlessOutage);
      await consuming.close(GRACE_MS);
      await mover.close();
      versions.close();
    },
  };
};

const startApi = async (world: World): Promise<Started> => {
  const { process, log } = openProcess(world);
  const ports = { ...process, log };
  const newRunId = () => RunId.parse(process.ids.next());
  const stop = new AbortController();
  const agents = new AgentChecks(await catalogueOf(process, stop.signal));
  const retries = new RunRetries(ports, { improver: 'improver', newRunId, agents });
  const happened = async (delivery: Delivery): Promise<Outcome> => {
    const about = parseSubject(delivery.subject);
    return about?.type === 'run' ? retries.heard(about, delivery) : park(`${delivery.subject} names no run`);
  };
  const consuming = await process.deliveries.consume('run-api-retries', happened, { ...PATIENT, concurrency: 2 });
  const orders = new RunOrders(ports, newRunId, { agent: 'chain', appId: 'simulation', policy: 'default' }, agents);
  const close = async () => {
    stop.abort();
    await consuming.close(GRACE_MS);
  };
  return { process, orders, close };
};

const startProjector = async (world: World): Promise<Started> => {
  const { process } = openProcess(world);
  const stop = new AbortController();
  const running = project(world, process, stop.signal);
  return {
    process,
    close: async () => {
      stop.abort();
      await running;
    },
  };
};

/** As the projector does: whoever has the lease goes on where the rows stand, whatever failed. */
const project = async ({ database, found }: World, process: MemoryProcess, stop: AbortSignal): Promise<void> => {
  while (!stop.aborted) {
    const lease = await process.leases.acquire('projector', stop).catch(() => undefined);
    try {
      if (!lease) continue;
      const signal = AbortSignal.any([stop, lease.lost]);
      let position = database.position;
      for await (const batch of process.feed.batches({ afterStreamSequence: position, signal, maxBatch: 20 })) {
        const last = batch.at(-1)!.streamSequence;
        await process.pause(5); // the transaction takes a while, and may find that another projector was faster
        if (!database.commit(position, last, batch)) break;
        position = last;
      }
    } catch (error) {
      if (!isOutage(error)) found(`the projector failed: ${String(error)}`);
    } finally {
      await lease?.release();
      await process.pause(200);
    }
  }
};

const STARTERS: Readonly<Record<Role, (world: World) => Promise<Started>>> = {
  orchestrator: startOrchestrator,
  worker: startWorker,
  api: startApi,
  projector: startProjector,
};

const openProcess = ({ platform, variant }: World) => {
  const process = platform.process();
  return { process, log: variant.runs?.(process.runs) ?? process.runs };
};

/** As a service does that is started again and again while the store is away. */
const catalogueOf = async (process: MemoryProcess, signal: AbortSignal): Promise<KnownAgents> => {
  for (;;) {
    try {
      return await process.catalogue.watch(signal);
    } catch (error) {
      unlessOutage(error);
      await process.pause(500);
    }
  }
};

const handsOf = ({ ledger, random }: World, process: MemoryProcess): Hands => ({
  ledger,
  random,
  pause: (ms, signal) => process.pause(ms, signal),
});

const unlessOutage = (error: unknown): void => {
  if (!isOutage(error)) throw error;
};

export const isOutage = (error: unknown): boolean =>
  error instanceof Error && 'redelivery' in error && error.redelivery === 'retry';
