export { APP_ROLE, appDatabaseUrl } from './app-role.js';
export { Database, openDatabase, type DatabaseOptions } from './database.js';
export { DatabaseNotMigrated, DatabaseRefused, DatabaseUnavailable, PositionMoved } from './database-errors.js';
export { ExclusiveLock } from './exclusive-lock.js';
export { migrate, type MigrateOptions } from './migrate.js';
export { ProjectionStore } from './projection-store.js';
export type { EntityManager } from '@mikro-orm/postgresql';
