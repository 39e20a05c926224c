import { startTestNats, startTestNatsCluster, type TestNats, type TestNatsOptions } from '@millrace/testing/servers';

/** One nats-server, or three that replicate: killed and started again together, or each by itself. */
export interface NatsServers {
  /** Of all of them, separated by commas. */
  readonly url: string;
  readonly servers: readonly TestNats[];
  kill(signal: 'SIGKILL'): Promise<void>;
  /** Resolves when they serve and have agreed on a leader. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export type NatsCount = 1 | 3;

/** How many servers specs run on that do not say: `E2E_NATS_SERVERS`, else one. */
export const usualCount = (): NatsCount => {
  const asked = process.env['E2E_NATS_SERVERS'] || '1';
  if (asked === '1' || asked === '3') return asked === '3' ? 3 : 1;
  throw new Error(`E2E_NATS_SERVERS=${asked}: specs run on 1 server or on 3`);
};

export async function startNatsServers(count: NatsCount, options: TestNatsOptions): Promise<NatsServers> {
  if (count === 1) {
    const server = await startTestNats(options);
    return { ...together([server]), stop: () => server.stop() };
  }
  const cluster = await startTestNatsCluster(count, options);
  const all = together(cluster.servers);
  return {
    ...all,
    async restart() {
      await all.restart();
      await cluster.agreed();
    },
    stop: () => cluster.stop(),
  };
}

const together = (servers: readonly TestNats[]): Omit<NatsServers, 'stop'> => ({
  url: servers.map(({ url }) => url).join(','),
  servers,
  kill: async (signal) => void (await Promise.all(servers.map((server) => server.kill(signal)))),
  restart: async () => void (await Promise.all(servers.map((server) => server.restart()))),
});
