import { appDatabaseUrl, migrate, readerDatabaseUrl } from '@millrace/adapter-postgres';
import type { ServiceName } from '@millrace/contracts';
import { startPostgres } from '@millrace/local-servers';

import type { Child } from './child-supervisor.js';
import type { LauncherConfig } from './config.js';
import type { Home } from './home.js';
import { logFileOf } from './logs.js';
import { choosePort } from './ports.js';
import type { Secrets } from './secrets.js';

export interface DatabaseSide {
  readonly ownerUrl: string;
  /** As the service connects: never as the owner, and all but the projector as one who cannot write. */
  urlFor(service: ServiceName): string;
  /** Undefined when the server is somebody else's. */
  readonly start?: () => Promise<Child>;
  /** Once the server runs. */
  migrate(): Promise<void>;
}

export async function databaseSide(home: Home, secrets: Secrets, config: LauncherConfig): Promise<DatabaseSide> {
  const appPassword = config.appPassword ?? secrets.databasePassword;
  const readerPassword = config.readerPassword ?? secrets.databaseReaderPassword;
  const side = (ownerUrl: string, createDatabase: boolean): DatabaseSide => ({
    ownerUrl,
    urlFor: (service) =>
      service === 'projector' ? appDatabaseUrl(ownerUrl, appPassword) : readerDatabaseUrl(ownerUrl, readerPassword),
    migrate: () => migrate({ ownerUrl, appPassword, readerPassword, createDatabase }),
  });
  if (config.databaseUrl !== undefined) return side(config.databaseUrl, false);
  const port = await choosePort(config, 'POSTGRES_PORT', 15_432);
  return {
    ...side(`postgresql://postgres@127.0.0.1:${port}/millrace`, true),
    start: () => startPostgres({ dataDir: home.postgres, port, logFile: logFileOf(home, 'postgres') }),
  };
}
