import { type NatsCluster, planNatsCluster } from '@millrace/local-servers';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalTestServer } from './local-test-server.js';
import { RouteHold } from './route-hold.js';
import { type TestNats, type TestNatsOptions, usesContainers } from './test-server.js';

export interface TestNatsCluster {
  readonly servers: readonly TestNats[];
  readonly urls: readonly string[];
  /** Resolves when all servers know the same leader and are current. */
  readonly agreed: () => Promise<void>;
  stop(): Promise<void>;
}

/** Of three servers the last one, which learns nothing of the others while it is held, and serves its clients all the same. */
export interface LaggingNatsCluster extends TestNatsCluster {
  readonly laggard: TestNats;
  hold(): void;
  release(): void;
}

/** Servers that replicate among themselves. Resolves when they have agreed on a leader and streams can be made. */
export async function startTestNatsCluster(size = 3, options: TestNatsOptions = {}): Promise<TestNatsCluster> {
  if (usesContainers()) {
    const { startNatsClusterContainers } = await import('./nats-cluster-containers.js');
    return startNatsClusterContainers(size, options);
  }
  return startPlanned(
    await planNatsCluster({ name: 'test', storeDirs: throwAwayFolders(size), ...DEFAULTS, ...options }),
  );
}

/** Always processes of this machine: in containers the servers reach each other without us. */
export async function startLaggingNatsCluster(options: TestNatsOptions = {}): Promise<LaggingNatsCluster> {
  const holds: RouteHold[] = [];
  const closeHolds = async () => void (await Promise.all(holds.splice(0).map((hold) => hold.close())));
  const plan = await planNatsCluster({
    ...{ name: 'test', storeDirs: throwAwayFolders(3), ...DEFAULTS, ...options },
    async routesOf(member, [first = '', second = '']) {
      if (member < 2) return [first, second];
      holds.push(await RouteHold.before(first), await RouteHold.before(second));
      return holds.map(({ address }) => address);
    },
  });
  const cluster = await startPlanned(plan).catch(async (error: unknown) => {
    await closeHolds();
    throw error;
  });
  const [, , laggard] = cluster.servers;
  if (laggard === undefined) throw new TypeError('three were planned');
  return {
    ...cluster,
    laggard,
    hold: () => holds.forEach((hold) => hold.hold()),
    release: () => holds.forEach((hold) => hold.release()),
    async stop() {
      await cluster.stop();
      await closeHolds();
    },
  };
}

const DEFAULTS = { syncAlways: false };

const throwAwayFolders = (size: number): string[] =>
  Array.from({ length: size }, () => mkdtempSync(join(tmpdir(), 'millrace-test-nats-')));

async function startPlanned({ members, agreed }: NatsCluster): Promise<TestNatsCluster> {
  const servers = await allOrNone(members.map(({ storeDir, start }) => LocalTestServer.open(storeDir, start)));
  const cluster = clusterOf(servers, agreed);
  try {
    await agreed();
  } catch (error) {
    await cluster.stop();
    throw error;
  }
  return cluster;
}

export const clusterOf = (servers: readonly TestNats[], agreed: () => Promise<void>): TestNatsCluster => ({
  servers,
  urls: servers.map(({ url }) => url),
  agreed,
  stop: async () => void (await Promise.all(servers.map((server) => server.stop()))),
});

/** What did start is ended again when one of them did not. */
export async function allOrNone<T extends TestNats>(starting: Promise<T>[]): Promise<T[]> {
  const results = await Promise.allSettled(starting);
  const started = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed === undefined) return started;
  await Promise.all(started.map((server) => server.stop()));
  throw failed.reason;
}
