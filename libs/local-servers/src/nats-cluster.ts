import { setTimeout as pause } from 'node:timers/promises';
import type { NatsClusterSettings } from './nats-config.js';
import { type NatsOptions, type RunningNats, startNats } from './nats-server.js';
import { freePort } from './port.js';
import { ServerNotStarted } from './server-errors.js';

export interface NatsClusterOptions extends Pick<NatsOptions, 'syncAlways' | 'extraConfig' | 'binary'> {
  readonly name: string;
  /** One for each server; kept between starts. */
  readonly storeDirs: readonly string[];
  /** For clients, in the order of `storeDirs`; any free one where none is given. */
  readonly ports?: readonly number[];
  /** Without it any process of this machine may join the cluster and be believed. */
  readonly routesPassword?: string;
  readonly logFileOf?: (serverName: string) => string;
  /** Where a server looks for the others instead of at all their addresses; and nowhere else. */
  readonly routesOf?: (member: number, addresses: readonly string[]) => readonly string[] | Promise<readonly string[]>;
}

/** One server of a cluster. Whoever holds it may stop it, kill it and start it again: same port, same data. */
export interface NatsMember {
  readonly serverName: string;
  readonly storeDir: string;
  /** Resolves when it serves, which it does before the cluster has a leader. */
  readonly start: () => Promise<RunningNats>;
}

export interface NatsCluster {
  readonly members: readonly NatsMember[];
  /** Resolves when all servers know the same leader and are current: from then on streams can be made. */
  readonly agreed: () => Promise<void>;
}

/** Servers on this machine that replicate among themselves. Nothing runs until their holder starts each of them. */
export async function planNatsCluster(options: NatsClusterOptions): Promise<NatsCluster> {
  const { name, storeDirs, ports = [], routesPassword, logFileOf, routesOf } = options;
  const { syncAlways, extraConfig, binary } = options;
  const places = await Promise.all(
    storeDirs.map(async (storeDir, at) => ({
      ...{ storeDir, serverName: `n${at + 1}`, port: ports[at] },
      ...{ clusterPort: await freePort(), monitorPort: await freePort() },
    })),
  );
  const addresses = places.map(({ clusterPort }) => `127.0.0.1:${clusterPort}`);
  const members = places.map(async ({ serverName, storeDir, clusterPort, monitorPort, ...given }, at) => {
    let { port } = given;
    const cluster: NatsClusterSettings = {
      ...{ name, port: clusterPort, size: places.length },
      routes: (await routesOf?.(at, addresses)) ?? addresses,
      ...(routesOf === undefined ? {} : { advertise: NOWHERE }),
      ...(routesPassword === undefined ? {} : { password: routesPassword }),
    };
    const start = async (): Promise<RunningNats> => {
      const running = await startNats({
        ...{ serverName, storeDir, monitorPort, cluster },
        ...(port === undefined ? {} : { port }),
        ...(syncAlways === undefined ? {} : { syncAlways }),
        ...(extraConfig === undefined ? {} : { extraConfig }),
        ...(binary === undefined ? {} : { binary }),
        ...(logFileOf === undefined ? {} : { logFile: logFileOf(serverName) }),
      });
      ({ port } = running);
      return running;
    };
    return { serverName, storeDir, start };
  });
  return {
    members: await Promise.all(members),
    agreed: () => clusterAgreed(places.map(({ monitorPort }) => `http://127.0.0.1:${monitorPort}`)),
  };
}

/** Asks the monitoring pages of all servers until they name the same leader, and it has all the others behind it. */
export async function clusterAgreed(monitorUrls: readonly string[]): Promise<void> {
  for (const deadline = Date.now() + LONGEST_MS; ; await pause(50)) {
    const views = await Promise.all(monitorUrls.map(leaderSeenBy));
    const [first] = views;
    const isAgreed = first?.leader !== undefined && views.every(({ leader }) => leader === first.leader);
    if (isAgreed && views.some(({ followers }) => followers === views.length - 1)) return;
    if (Date.now() > deadline) {
      const said = views.map(({ leader, trouble }) => leader ?? trouble).join('\n');
      throw new ServerNotStarted(`The NATS cluster has no leader after ${LONGEST_MS / 1_000} s`, said);
    }
  }
}

/** Servers pass on where others are, and the one that hears of it goes there as well. */
const NOWHERE = '127.0.0.1:1';
const LONGEST_MS = 60_000;

interface View {
  readonly leader?: string | undefined;
  /** Those that have all the leader has; it alone knows. */
  readonly followers?: number;
  readonly trouble: string;
}

interface JetStreamPage {
  readonly meta_cluster?: {
    readonly leader?: string;
    readonly replicas?: readonly { readonly current: boolean; readonly offline?: boolean }[];
  };
}

async function leaderSeenBy(monitorUrl: string): Promise<View> {
  try {
    const health = await fetch(`${monitorUrl}/healthz`, { signal: AbortSignal.timeout(2_000) });
    if (!health.ok) return { trouble: await health.text() };
    const page = await fetch(`${monitorUrl}/jsz`, { signal: AbortSignal.timeout(2_000) });
    const { leader, replicas = [] } = ((await page.json()) as JetStreamPage).meta_cluster ?? {};
    const followers = replicas.filter(({ current, offline = false }) => current && !offline).length;
    return { leader, followers, trouble: 'knows no leader' };
  } catch (error) {
    return { trouble: String(error) }; // it ended, or hangs: asked again until the deadline
  }
}
