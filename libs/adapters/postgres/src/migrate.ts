import { Migrator } from '@mikro-orm/migrations';
import { type EntityManager, MikroORM } from '@mikro-orm/postgresql';
import { APP_ROLE, ensureRole, grantTables, READER_ROLE } from './app-role.js';
import { Database, describeDatabase } from './database.js';
import { translateDatabaseError } from './database-errors.js';
import { ENTITIES, TABLES } from './entities.js';
import { MIGRATIONS } from './migrations.js';
import { connectionOptions } from './pg-connections.js';

export interface MigrateOptions {
  /** Of a role that may make tables and roles. */
  readonly ownerUrl: string;
  /** What the role the projector connects as is given for a password. */
  readonly appPassword: string;
  /** Of the role that only reads; it keeps the one it has when none is given. */
  readonly readerPassword?: string | undefined;
  /** Makes the database itself when it is not there; for a server that is all ours. */
  readonly createDatabase?: boolean;
}

/**
 * Brings the database to this version and makes sure of the services' roles. Any number of processes may call it at
 * once: the lock lets one through at a time, and goes with its transaction, however that ends.
 */
export async function migrate(options: MigrateOptions): Promise<void> {
  const { ownerUrl, appPassword, readerPassword, createDatabase = false } = options;
  const orm = await openForMigration(ownerUrl);
  const database = new Database(orm, describeDatabase(ownerUrl));
  try {
    if (createDatabase) await makeDatabase(orm, database.description);
    await database.transaction(async (em) => {
      await awaitMigrations(em);
      await ensureRole(em, APP_ROLE, appPassword);
      await ensureRole(em, READER_ROLE, readerPassword);
      await orm.migrator.up({ transaction: em.getTransactionContext<object>() });
      await grantTables(em, 'public', TABLES);
    });
  } finally {
    await database.close();
  }
}

/** Nobody else migrates until the transaction ends. */
export async function awaitMigrations(em: EntityManager): Promise<void> {
  await em.execute(`select pg_advisory_xact_lock(hashtextextended('millrace-migrations', 0))`);
}

async function makeDatabase(orm: MikroORM, description: string): Promise<void> {
  try {
    await orm.schema.ensureDatabase();
  } catch (error) {
    throw translateDatabaseError(error, description);
  }
}

/** No time limit on answers, unlike for services: whoever waits for the lock waits as long as it takes. */
export const openForMigration = (url: string): Promise<MikroORM> =>
  MikroORM.init({
    clientUrl: url,
    entities: ENTITIES,
    ensureDatabase: false,
    extensions: [Migrator],
    pool: { min: 0, max: 2 }, // the transaction, and the migrator's own look at its table
    migrations: { migrationsList: MIGRATIONS, snapshot: false, silent: true },
    driverOptions: connectionOptions({ applicationName: 'millrace-migrate' }),
  });
