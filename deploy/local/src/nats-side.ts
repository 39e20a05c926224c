import { connectNats, natsUsers, type NatsUserName, setUpTopology } from '@millrace/adapter-jetstream';
import { findNatsServer, startNats } from '@millrace/local-servers';
import { statfsSync } from 'node:fs';

import type { Child } from './child-supervisor.js';
import type { LauncherConfig } from './config.js';
import type { Home } from './home.js';
import { logFileOf } from './logs.js';
import { choosePort } from './ports.js';
import type { Secrets } from './secrets.js';

export interface NatsSide {
  /** Each service has a user of its own on a server of ours; on somebody else's all are who the URL says. */
  urlFor(user: NatsUserName): string;
  /** Undefined when the server is somebody else's. */
  readonly start?: () => Promise<Child>;
}

export async function natsSide(home: Home, secrets: Secrets, config: LauncherConfig): Promise<NatsSide> {
  const { natsUrl, replicas } = config;
  if (natsUrl !== undefined) {
    await setUp(natsUrl, { replicas });
    return { urlFor: () => natsUrl };
  }
  const { path: binary } = await findNatsServer(config.env);
  const port = await choosePort(config, 'NATS_PORT', 4222);
  const urlFor = (user: NatsUserName) => `nats://${user}:${secrets.nats[user]}@127.0.0.1:${port}`;
  return {
    urlFor,
    async start() {
      const server = await startNats({
        ...{ binary, port, serverName: 'millrace-local', storeDir: home.nats, syncAlways: true },
        extraConfig: natsUsers(secrets.nats),
        logFile: logFileOf(home, 'nats-server'),
      });
      try {
        await setUp(urlFor('admin'), roomIn(home)); // after every start: the tasks live in memory
        return server;
      } catch (error) {
        await server.stop();
        throw error;
      }
    },
  };
}

export async function setUp(url: string, size: Parameters<typeof setUpTopology>[1]): Promise<void> {
  const nats = await connectNats({ url, name: 'set-up' });
  try {
    await setUpTopology(nats, size);
  } finally {
    await nats.close();
  }
}

const MOST_BYTES = 10 * 1024 ** 3;

/** nats-server sets aside what a stream may grow to: on a small disk the usual 10 GiB each would be refused. */
function roomIn({ dir }: Home): { maxLogBytes: number; maxBlobBytes: number } {
  const { bavail, bsize } = statfsSync(dir);
  const share = Math.min(MOST_BYTES, Math.floor(bavail * bsize * 0.3));
  return { maxLogBytes: share, maxBlobBytes: share };
}
