import { natsUsers, type NatsUserName } from '@millrace/adapter-jetstream';
import { planNatsCluster } from '@millrace/local-servers';
import { join } from 'node:path';
import type { LauncherConfig } from './config.js';
import type { Home } from './home.js';
import { logFileOf } from './logs.js';
import { roomIn, setUp } from './nats-set-up.js';
import type { NatsSide } from './nats-side.js';
import { choosePort } from './ports.js';
import type { Secrets } from './secrets.js';

/** Each of the three keeps a copy on the same disk, and leaves room for the smaller streams. */
const SHARE_OF_DISK = 0.2 / 3;

/** Three servers, each supervised by itself: what is killed comes back on its port while the other two go on. */
export async function natsCluster(
  home: Home,
  secrets: Secrets,
  config: LauncherConfig,
  binary: string,
): Promise<NatsSide> {
  const first = await choosePort(config, 'NATS_PORT', 4222);
  const ports = [first, await choosePort(config, '', first + 1), await choosePort(config, '', first + 2)];
  const cluster = await planNatsCluster({
    ...{ name: 'millrace-local', ports, binary, syncAlways: true },
    storeDirs: ports.map((_, at) => join(home.natsCluster, `n${at + 1}`)),
    extraConfig: natsUsers(secrets.nats),
    routesPassword: secrets.natsRoutesPassword,
    logFileOf: (serverName) => logFileOf(home, processName(serverName)),
  });
  const urlFor = (user: NatsUserName) =>
    ports.map((port) => `nats://${user}:${secrets.nats[user]}@127.0.0.1:${port}`).join(',');
  return {
    urlFor,
    servers: cluster.members.map(({ serverName, start }) => ({ name: processName(serverName), start })),
    async prepare() {
      await cluster.agreed();
      await setUp(urlFor('admin'), { ...roomIn(home, SHARE_OF_DISK), replicas: 3 });
    },
  };
}

const processName = (serverName: string): string => `nats-server-${serverName}`;
