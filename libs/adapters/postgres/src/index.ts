export { APP_ROLE, appDatabaseUrl, READER_ROLE, readerDatabaseUrl } from './app-role.js';
export { Database, openDatabase, type DatabaseOptions } from './database.js';
export {
  DatabaseNotMigrated,
  DatabaseRefused,
  DatabaseUnavailable,
  isDataRefused,
  PositionMoved,
} from './database-errors.js';
export { ExclusiveLock } from './exclusive-lock.js';
export { migrate, type MigrateOptions } from './migrate.js';
export { ProjectionStore } from './projection-store.js';
export { ReadModelTables, runKeyOf, type KnownRows, type Poison } from './read-model-tables.js';
export { requireWall } from './require-wall.js';
export { CursorInvalid } from './run-cursor.js';
export { RunReader, type RunFilters, type RunPage } from './run-reader.js';
export { SecondTables } from './second-tables.js';
export type { EntityManager } from '@mikro-orm/postgresql';
