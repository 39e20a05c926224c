import { migrate } from '@millrace/adapter-postgres';
import { ConfigInvalid } from '@millrace/kernel';
import type { LauncherConfig } from './config.js';
import { setUp } from './nats-set-up.js';

/** Prepares servers of your own, once and after every upgrade: streams and consumers, tables and the services' roles. */
export async function setUpServers(config: LauncherConfig, say: (line: string) => void): Promise<void> {
  const { natsUrl, databaseUrl, replicas, appPassword, readerPassword } = config;
  const missing = [
    ...(natsUrl === undefined && databaseUrl === undefined
      ? ['NATS_URL or DATABASE_URL: which server to prepare (npm start prepares its own by itself)']
      : []),
    ...(databaseUrl !== undefined && appPassword === undefined
      ? ['DATABASE_APP_PASSWORD: what the projector will connect to the database with']
      : []),
    ...(databaseUrl !== undefined && readerPassword === undefined
      ? ['DATABASE_READER_PASSWORD: what services that only read will connect to the database with']
      : []),
  ];
  if (missing.length > 0) throw new ConfigInvalid(missing.join('\n'));
  if (natsUrl !== undefined) {
    await setUp(natsUrl, { replicas });
    say('NATS: all streams and consumers are there.');
  }
  if (databaseUrl !== undefined && appPassword !== undefined) {
    await migrate({ ownerUrl: databaseUrl, appPassword, readerPassword });
    say('PostgreSQL: all tables and the roles of the services are there.');
  }
}
