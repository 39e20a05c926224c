import { freePort, startNats } from '@millrace/local-servers';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalTestServer } from './local-test-server.js';
import { type TestNats, usesContainers } from './test-server.js';

export interface TestNatsCluster {
  readonly servers: readonly TestNats[];
  readonly urls: readonly string[];
  stop(): Promise<void>;
}

/** Servers that replicate among themselves. Resolves when they have agreed on a leader and streams can be made. */
export async function startTestNatsCluster(size = 3): Promise<TestNatsCluster> {
  if (usesContainers()) {
    const { startNatsClusterContainers } = await import('./nats-cluster-containers.js');
    return startNatsClusterContainers(size);
  }
  const members = await Promise.all(
    Array.from({ length: size }, async (_, index) => ({
      serverName: `n${index + 1}`,
      storeDir: mkdtempSync(join(tmpdir(), 'millrace-test-nats-')),
      clusterPort: await freePort(),
      monitorPort: await freePort(),
    })),
  );
  const routes = members.map(({ clusterPort }) => `127.0.0.1:${clusterPort}`);
  const servers = await allOrNone(
    members.map(({ serverName, storeDir, clusterPort, monitorPort }) =>
      LocalTestServer.open(storeDir, (port) =>
        startNats({
          ...{ serverName, storeDir, monitorPort, syncAlways: false },
          cluster: { name: 'test', port: clusterPort, routes },
          ...(port === undefined ? {} : { port }),
        }),
      ),
    ),
  );
  const cluster = clusterOf(servers);
  try {
    await haveALeader(members.map(({ monitorPort }) => `http://127.0.0.1:${monitorPort}`));
  } catch (error) {
    await cluster.stop();
    throw error;
  }
  return cluster;
}

export const clusterOf = (servers: readonly TestNats[]): TestNatsCluster => ({
  servers,
  urls: servers.map(({ url }) => url),
  stop: async () => void (await Promise.all(servers.map((server) => server.stop()))),
});

/** What did start is ended again when one of them did not. */
export async function allOrNone<T extends TestNats>(starting: Promise<T>[]): Promise<T[]> {
  const results = await Promise.allSettled(starting);
  const started = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed === undefined) return started;
  await clusterOf(started).stop();
  throw failed.reason;
}

/** Every server knows the same leader, and is current itself. */
export async function haveALeader(monitorUrls: readonly string[]): Promise<void> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const views = await Promise.all(monitorUrls.map(leaderSeenBy));
    if (views[0] !== undefined && views.every((leader) => leader === views[0])) return;
    if (Date.now() > deadline) throw new Error(`The NATS cluster has no leader after 60 s: ${views.join(', ')}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function leaderSeenBy(monitorUrl: string): Promise<string | undefined> {
  const health = await fetch(`${monitorUrl}/healthz`);
  if (!health.ok) return undefined;
  const jetStream = (await (await fetch(`${monitorUrl}/jsz`)).json()) as { meta_cluster?: { leader?: string } };
  return jetStream.meta_cluster?.leader;
}
