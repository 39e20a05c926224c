import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import { randomBytes } from 'node:crypto';
import { Database, describeDatabase, openDatabase } from './database.js';
import { DatabaseNotMigrated, DatabaseUnavailable } from './database-errors.js';
import { FOLDED_TABLES } from './entities.js';
import { awaitMigrations, openForMigration } from './migrate.js';
import { MIGRATIONS } from './migrations.js';
import { ProjectionStore } from './projection-store.js';

/**
 * A second set of the tables that are folds of the log, filled beside the first one and then put into its place.
 *
 * Invariants:
 * I1 readers and the projector see the first set until the swap commits and the second from then on, whatever crashes;
 * I2 rows never go back in time: the swap holds the projection's position, at which the projector begins each commit,
 *    until the second set has come as far; the projector then goes on behind it;
 * I3 the second set is what the migrations make, with the grants of the first;
 * I4 each set has a name of its own, so that a process that was given up for dead cannot write into its successor's.
 */
export class SecondTables {
  private constructor(
    private readonly projection: string,
    private readonly schema: string,
    private readonly first: Database,
    private readonly second: Database,
    /** Where the second set stands, and the way to write it. */
    readonly store: ProjectionStore,
  ) {}

  /** Empty tables, as the owner of the database makes them. Removes what rebuilds that died have left. */
  static async create(ownerUrl: string, projection: string): Promise<SecondTables> {
    const orm = await openForMigration(ownerUrl);
    const first = new Database(orm, describeDatabase(ownerUrl));
    const schema = `${PREFIX}${randomBytes(6).toString('hex')}`; // I4
    try {
      await first.transaction((em) => make(orm, em, schema));
      const second = await openDatabase({ url: ownerUrl, applicationName: 'millrace-rebuild', schema });
      return new SecondTables(projection, schema, first, second, new ProjectionStore(second));
    } catch (error) {
      await first.close();
      throw error;
    }
  }

  get description(): string {
    return this.first.description;
  }

  /** How far the first set has come; it goes on meanwhile. */
  position(): Promise<number> {
    return new ProjectionStore(this.first).load(this.projection);
  }

  /** So that the first readers find plans as good as before. */
  async analyze(): Promise<void> {
    for (const table of FOLDED_TABLES) await this.second.query(`analyze "${this.schema}"."${table}"`);
  }

  /**
   * `catchUp` brings the second set to the position it is given, or beyond, and resolves with where it stands then.
   * Rejects with what may be tried again when somebody uses the tables for long: it never makes readers wait for that.
   */
  async swap(catchUp: (position: number) => Promise<number>): Promise<void> {
    await this.first.transaction(async (em) => {
      await awaitMigrations(em);
      await mustBeMigrated(em);
      const position = await catchUp(await this.#holdPosition(em)); // I2
      await em.execute(`set local lock_timeout = '${PATIENCE_MS}ms'`);
      await em.execute(`lock table ${FOLDED_TABLES.map((table) => `public."${table}"`).join(', ')}`);
      await copyGrants(em, this.schema); // I3
      for (const table of FOLDED_TABLES) {
        await em.execute(`drop table public."${table}"`);
        await em.execute(`alter table "${this.schema}"."${table}" set schema public`);
      }
      await em.execute('update public.projection_position set stream_sequence = ?, updated_at = now() where name = ?', [
        position,
        this.projection,
      ]);
      await em.execute(`drop schema "${this.schema}" cascade`);
    }); // I1
  }

  /** Rows of each table that serves now. */
  async counts(): Promise<Record<string, number>> {
    return this.first.transaction(async (em) => {
      await em.execute(`select set_config('app.projector', 'on', true)`);
      const counts: Record<string, number> = {};
      for (const table of FOLDED_TABLES) {
        const [row] = await em.execute<{ count: number }[]>(`select count(*)::int as count from public."${table}"`);
        counts[table] = row?.count ?? 0;
      }
      return counts;
    });
  }

  /** Also removes a second set that was not swapped in. */
  async close(): Promise<void> {
    await this.second.close();
    try {
      await this.first.query(`drop schema if exists "${this.schema}" cascade`);
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error; // the next rebuild removes it
    } finally {
      await this.first.close();
    }
  }

  async #holdPosition(em: EntityManager): Promise<number> {
    await em.execute(
      'insert into public.projection_position (name, stream_sequence, updated_at) values (?, 0, now()) on conflict do nothing',
      [this.projection],
    );
    const [row] = await em.execute<{ at: string }[]>(
      'select stream_sequence as at from public.projection_position where name = ? for update',
      [this.projection],
    );
    return Number(row?.at ?? 0);
  }
}

const PREFIX = 'millrace_rebuild_';

/** Below PostgreSQL's deadlock_timeout (1 s): it is the swap that gives way to a reader, never the other way round. */
const PATIENCE_MS = 500;

async function make(orm: MikroORM, em: EntityManager, schema: string): Promise<void> {
  await awaitMigrations(em);
  await mustBeMigrated(em);
  const left = await em.execute<{ name: string }[]>(
    `select nspname as name from pg_namespace where starts_with(nspname, ?)`,
    [PREFIX],
  );
  for (const { name } of left) await em.execute(`drop schema "${name}" cascade`);
  await em.execute(`create schema "${schema}"`);
  await orm.migrator.up({ schema, transaction: em.getTransactionContext<object>() }); // I3
}

/** Of this very version: else the tables would not be what the list of migrations says they are. */
async function mustBeMigrated(em: EntityManager): Promise<void> {
  const applied = await em.execute<{ name: string }[]>('select name from public.mikro_orm_migrations order by id');
  const names = applied.map(({ name }) => name);
  if (names.join() === MIGRATIONS.map(({ name }) => name).join()) return;
  throw new DatabaseNotMigrated(
    `The database has other migrations than this version (${names.at(-1)}): run npm run setup`,
  );
}

/** Also what an operator has granted, to a role for reports perhaps. */
async function copyGrants(em: EntityManager, schema: string): Promise<void> {
  const grants = await em.execute<{ statement: string }[]>(
    `select format('grant %s on table %I.%I to %s', acl.privilege_type, ?::text, c.relname,
                   case acl.grantee when 0 then 'public' else acl.grantee::regrole::text end) as statement
     from pg_class c, aclexplode(c.relacl) acl
     where c.relnamespace = 'public'::regnamespace and c.relname in (?)`,
    [schema, FOLDED_TABLES],
  );
  for (const { statement } of grants) await em.execute(statement);
}
