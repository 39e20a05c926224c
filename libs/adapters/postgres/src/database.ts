import { DriverException, type EntityManager, MikroORM } from '@mikro-orm/postgresql';
import { translateDatabaseError } from './database-errors.js';
import { ENTITIES } from './entities.js';
import { connectionOptions, type ConnectionSettings } from './pg-connections.js';

export interface DatabaseOptions extends ConnectionSettings {
  readonly url: string;
  readonly maxConnections?: number;
  /** How long a connection nobody uses stays open; 0 is for ever. */
  readonly idleTimeoutMs?: number;
  /** Where the tables are; `public` when it is not given. */
  readonly schema?: string;
}

/** Does not connect yet: a database that is down shows with the first statement, and may come up before it. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  return new Database(await openOrm(options), describeDatabase(options.url));
}

export class Database {
  constructor(
    readonly orm: MikroORM,
    /** Host and name, without user and password. */
    readonly description: string,
  ) {}

  /** One transaction with an EntityManager of its own; what `work` throws ends it and comes out unchanged. */
  async transaction<T>(work: (em: EntityManager) => Promise<T>): Promise<T> {
    let thrown: { readonly error: unknown } | undefined;
    try {
      return await this.orm.em.fork().transactional(async (em) => {
        try {
          return await work(em);
        } catch (error) {
          thrown = { error };
          throw error;
        }
      });
    } catch (error) {
      if (error === thrown?.error && !(error instanceof DriverException)) throw error;
      throw translateDatabaseError(error, this.description);
    }
  }

  /** Rejects when the database does not answer. */
  async ping(): Promise<void> {
    await this.query('select 1');
  }

  /** One statement outside of any transaction. */
  async query<Row extends object>(sql: string, parameters: unknown[] = []): Promise<Row[]> {
    try {
      return await this.orm.em.fork().execute<Row[]>(sql, parameters);
    } catch (error) {
      throw translateDatabaseError(error, this.description);
    }
  }

  async close(): Promise<void> {
    await this.orm.close(true);
  }
}

const openOrm = (options: DatabaseOptions): Promise<MikroORM> =>
  MikroORM.init({
    clientUrl: options.url,
    entities: ENTITIES,
    ...(options.schema === undefined ? {} : inSchema(options.schema)),
    ensureDatabase: false, // a typing error in the URL must not make a database
    pool: { min: 0, max: options.maxConnections ?? 10, idleTimeoutMillis: options.idleTimeoutMs ?? 10_000 },
    driverOptions: connectionOptions({ answerWithinMs: 30_000, ...options }),
  });

/**
 * The name keeps it apart from others of this process: MikroORM hands the transaction that is under way to every
 * EntityManager of the same name, whatever database it was made for.
 */
const inSchema = (schema: string) => ({ schema, contextName: schema });

export function describeDatabase(url: string): string {
  const { host, pathname } = new URL(url);
  return `PostgreSQL database ${decodeURIComponent(pathname.slice(1))} on ${host}`;
}
