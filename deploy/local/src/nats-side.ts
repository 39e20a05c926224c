import { natsUsers, type NatsUserName } from '@millrace/adapter-jetstream';
import { findNatsServer, startNats } from '@millrace/local-servers';
import { existsSync } from 'node:fs';

import type { Child } from './child-supervisor.js';
import type { LauncherConfig } from './config.js';
import type { Home } from './home.js';
import { OtherData } from './launcher-errors.js';
import { logFileOf } from './logs.js';
import { natsCluster } from './nats-cluster-side.js';
import { roomIn, setUp } from './nats-set-up.js';
import { choosePort } from './ports.js';
import type { Secrets } from './secrets.js';

export interface NatsSide {
  /** Each service has a user of its own on a server of ours; on somebody else's all are who the URL says. */
  urlFor(user: NatsUserName): string;
  /** None when they are somebody else's. */
  readonly servers: readonly { readonly name: string; readonly start: () => Promise<Child> }[];
  /** Once all servers run for the first time. */
  prepare?(): Promise<void>;
}

export async function natsSide(home: Home, secrets: Secrets, config: LauncherConfig): Promise<NatsSide> {
  const { natsUrl, replicas } = config;
  if (natsUrl !== undefined) {
    await setUp(natsUrl, { replicas });
    return { urlFor: () => natsUrl, servers: [] };
  }
  refuseOtherData(home, config);
  const { path: binary } = await findNatsServer(config.env);
  if (config.isCluster) return natsCluster(home, secrets, config, binary);
  const port = await choosePort(config, 'NATS_PORT', 4222);
  const urlFor = (user: NatsUserName) => `nats://${user}:${secrets.nats[user]}@127.0.0.1:${port}`;
  const start = async () => {
    const server = await startNats({
      ...{ binary, port, serverName: 'millrace-local', storeDir: home.nats, syncAlways: true },
      extraConfig: natsUsers(secrets.nats),
      logFile: logFileOf(home, 'nats-server'),
    });
    try {
      await setUp(urlFor('admin'), roomIn(home)); // after every start: a server that lost its data is made whole
      return server;
    } catch (error) {
      await server.stop();
      throw error;
    }
  };
  return { urlFor, servers: [{ name: 'nats-server', start }] };
}

/** The rows in PostgreSQL follow one log; another log beside them would be taken for the rest of the same one. */
function refuseOtherData({ dir, nats, natsCluster: cluster }: Home, { isCluster }: LauncherConfig): void {
  const [other, of, fix] = isCluster
    ? [nats, 'one nats-server', 'start without --cluster']
    : [cluster, 'a cluster of three', 'start with --cluster'];
  if (!existsSync(other)) return;
  const why = 'one log is not moved into the other, and the rows in PostgreSQL follow the one that is there';
  throw new OtherData(`${dir} holds the data of ${of}: ${why}. Take another folder (--home <folder>), or ${fix}`);
}
