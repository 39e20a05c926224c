import { appDatabaseUrl, migrate, readerDatabaseUrl } from '@millrace/adapter-postgres';
import type { ServiceName } from '@millrace/contracts';
import { startTestPostgres } from '../servers/test-postgres.js';
import type { TestPostgres } from '../servers/test-server.js';

/** A PostgreSQL with the tables of the read models, all of them empty, and the roles of those who use them. */
export interface SpecPostgres extends TestPostgres {
  readonly ownerUrl: string;
  /** As that service connects: the projector writes, the others read. */
  urlFor(service: ServiceName): string;
}

const PASSWORD = 'secret';

export const startSpecPostgres = async (database: string): Promise<SpecPostgres> => {
  const server = await startTestPostgres();
  const ownerUrl = await server.createDatabase(database);
  await migrate({ ownerUrl, appPassword: PASSWORD, readerPassword: PASSWORD });
  const urlFor = (service: ServiceName) =>
    service === 'projector' ? appDatabaseUrl(ownerUrl, PASSWORD) : readerDatabaseUrl(ownerUrl, PASSWORD);
  return Object.assign(server, { ownerUrl, urlFor });
};
