import { STREAMS } from '@millrace/adapter-jetstream';
import { type RunId, type RunRef, TenantId } from '@millrace/contracts';
import type { ListeningProcess } from '@millrace/local-servers';
import { setTimeout as pause } from 'node:timers/promises';
import { HTTP_ENV } from './bench-caller.js';
import { BenchDatabase } from './bench-database.js';
import { BenchWorld } from './bench-world.js';
import { type ProcessGroups, withChildren } from './process-cpu.js';
import { readServerCounts } from './server-counts.js';
import { spawnService, spawnWorker } from './service-process.js';
import { StackClient } from './stack-client.js';
import { now } from './stopwatch.js';

const WORKERS = 2;
/** More than any measure has at once: what is measured is the platform, not what a tenant may have. */
const RUNS_AT_ONCE = '1000';
const STANDS_STILL_MS = 500;

/** The whole platform as it runs in production, each part a process of its own; the benchmark is its only client. */
export class StackWorld {
  readonly tenantId: TenantId;

  private constructor(
    readonly bench: BenchWorld,
    readonly database: BenchDatabase,
    readonly client: StackClient,
    tenantId: TenantId,
    private readonly services: Services,
  ) {
    this.tenantId = tenantId;
  }

  static async open(): Promise<StackWorld> {
    const bench = await BenchWorld.open(true);
    const database = await BenchDatabase.open();
    const services = await startServices(bench, database);
    const tenantId = TenantId.parse(bench.ids.next());
    const client = await StackClient.of(services['run-api'][0]!.url, services['stream-gateway'][0]!.url, tenantId);
    return new StackWorld(bench, database, client, tenantId, services);
  }

  get processes(): ProcessGroups {
    const services = Object.entries(this.services).map(([name, processes]): [string, () => number[]] => [
      name,
      () => processes.map(({ child }) => child.pid),
    ]);
    return {
      'nats-server': () => [this.bench.serverPid],
      postgres: () => withChildren(this.database.serverPid),
      ...Object.fromEntries(services),
    };
  }

  refOf(runId: RunId): RunRef {
    return { tenantId: this.tenantId, runId };
  }

  /**
   * Resolves when the projector has stored all that is in the log, so that its work counts where it was caused; or stands
   * still, since it passes over the tokens that the raw side has appended.
   */
  async projected(): Promise<void> {
    const { stored } = await readServerCounts(this.bench.monitorUrl);
    const last = stored.get(STREAMS.runs) ?? 0;
    let position = 0;
    for (let movedAt = now(); position < last && now() - movedAt < STANDS_STILL_MS; await pause(20)) {
      const found = await this.database.position();
      if (found > position) movedAt = now();
      position = found;
    }
  }

  /** Starts a worker, then kills the others with SIGKILL. Resolves at once, without waiting for them to be gone. */
  async replaceWorkers(): Promise<void> {
    const workers = this.services['node-workers'];
    const killed = [...workers];
    workers.push(await spawnWorker(this.bench.url));
    for (const { child } of killed) child.kill('SIGKILL');
  }

  async close(): Promise<void> {
    this.client.close();
    const processes = Object.values(this.services).flat();
    await Promise.all(processes.map(({ child }) => child.stop('SIGTERM', 10_000)));
    await this.database.close();
    await this.bench.close();
  }
}

type Services = Awaited<ReturnType<typeof startServices>>;

/** Workers come first: a run is refused until a worker has announced its agent. */
async function startServices(bench: BenchWorld, database: BenchDatabase) {
  const nats = { NATS_URL: bench.url };
  const limits = { MAX_ACTIVE_RUNS: RUNS_AT_ONCE, MAX_ACTIVE_RUNS_PER_TENANT: RUNS_AT_ONCE };
  const workers: ListeningProcess[] = [];
  for (let at = 0; at < WORKERS; at += 1) workers.push(await spawnWorker(bench.url));
  return {
    'node-workers': workers,
    orchestrator: [await spawnService('orchestrator', { ...nats, ...limits })],
    projector: [await spawnService('projector', { ...nats, DATABASE_URL: database.appUrl })],
    'stream-gateway': [await spawnService('stream-gateway', { ...HTTP_ENV, ...nats })],
    'run-api': [await spawnService('run-api', { ...HTTP_ENV, ...nats, DATABASE_URL: database.readerUrl })],
  };
}
