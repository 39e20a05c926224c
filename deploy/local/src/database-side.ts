import { appDatabaseUrl, migrate } from '@millrace/adapter-postgres';
import { startPostgres } from '@millrace/local-servers';

import type { Child } from './child-supervisor.js';
import type { LauncherConfig } from './config.js';
import type { Home } from './home.js';
import { logFileOf } from './logs.js';
import { choosePort } from './ports.js';
import type { Secrets } from './secrets.js';

export interface DatabaseSide {
  readonly ownerUrl: string;
  /** As services connect: not as the owner. */
  readonly appUrl: string;
  /** Undefined when the server is somebody else's. */
  readonly start?: () => Promise<Child>;
  /** Once the server runs. */
  migrate(): Promise<void>;
}

export async function databaseSide(home: Home, secrets: Secrets, config: LauncherConfig): Promise<DatabaseSide> {
  const appPassword = config.appPassword ?? secrets.databasePassword;
  if (config.databaseUrl !== undefined) {
    const ownerUrl = config.databaseUrl;
    const appUrl = appDatabaseUrl(ownerUrl, appPassword);
    return { ownerUrl, appUrl, migrate: () => migrate({ ownerUrl, appPassword }) };
  }
  const port = await choosePort(config, 'POSTGRES_PORT', 15_432);
  const ownerUrl = `postgresql://postgres@127.0.0.1:${port}/millrace`;
  return {
    ownerUrl,
    appUrl: appDatabaseUrl(ownerUrl, appPassword),
    start: () => startPostgres({ dataDir: home.postgres, port, logFile: logFileOf(home, 'postgres') }),
    migrate: () => migrate({ ownerUrl, appPassword, createDatabase: true }),
  };
}
