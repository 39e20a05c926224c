import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { aThreadId, RunId, TenantId, THREAD_CREATED_FIXTURE } from '@millrace/contracts';
import { foldRunRows, foldThread } from '@millrace/run-views';
import {
  aFailedRun,
  anAnsweredRun,
  checkpointSaved,
  logWritten,
  nodeStarted,
  stored,
  toolRequested,
} from '@millrace/testing';
import { startTestPostgres, type TestPostgres } from '@millrace/testing/servers';
import { appDatabaseUrl, readerDatabaseUrl } from './app-role.js';
import { openDatabase, type Database } from './database.js';
import { migrate } from './migrate.js';
import { ProjectionStore } from './projection-store.js';
import { ReadModelTables } from './read-model-tables.js';
import { RunReader } from './run-reader.js';

const OURS = TenantId.parse('01JEAAAAAAAAAAAAAAAAAAAAAA');
const THEIRS = TenantId.parse('01JEBBBBBBBBBBBBBBBBBBBBBB');

let postgres: TestPostgres;
let owner: Database;
let app: Database;
let readerRole: Database;
let tables: { readonly name: string; readonly hasTenant: boolean }[];
beforeAll(async () => {
  postgres = await startTestPostgres();
  const url = await postgres.createDatabase('walls');
  await migrate({ ownerUrl: url, appPassword: 'secret', readerPassword: 'other' });
  owner = await openDatabase({ url, applicationName: 'spec' });
  app = await openDatabase({ url: appDatabaseUrl(url, 'secret'), applicationName: 'spec' });
  readerRole = await openDatabase({ url: readerDatabaseUrl(url, 'other'), applicationName: 'spec' });
  for (const tenant of [OURS, THEIRS]) await fill(tenant);
  // From the database itself, so that a table of a later migration is held to the same.
  tables = await owner.query(
    `select table_name as name, bool_or(column_name = 'tenant_id') as "hasTenant" from information_schema.columns
     where table_schema = 'public' group by 1 order by 1`,
  );
});
afterAll(async () => {
  for (const database of [owner, app, readerRole]) await database?.close();
  await postgres.stop();
});

/** A row in every table that holds any. */
async function fill(tenantId: TenantId): Promise<void> {
  const run = (last: string) => ({ tenantId, runId: RunId.parse(`01JE${last.padStart(22, '0')}`) });
  const work = [
    nodeStarted({ attempt: 2, continues: true }),
    toolRequested({ attempt: 2 }),
    logWritten({ attempt: 2 }),
  ];
  const answered = [...anAnsweredRun(), ...work, checkpointSaved()];
  const rows = [foldRunRows(stored(answered, run('1'))), foldRunRows(stored(aFailedRun(), run('2')))];
  const thread = foldThread([{ ...THREAD_CREATED_FIXTURE, tenantId }]);
  const store = new ProjectionStore(app);
  const at = await store.load('spec');
  await store.commit('spec', at, at + 1, async (em) => {
    const models = new ReadModelTables(em);
    await models.write(rows);
    if (thread !== undefined) await models.writeThreads([thread]);
  });
}

const withTenant = (): string[] => tables.filter(({ hasTenant }) => hasTenant).map(({ name }) => name);
/** What was set aside is no tenant's to see; its rows are written by no fold. */
const shown = (): string[] => withTenant().filter((name) => name !== 'projection_poison');

const as = <T>(database: Database, tenant: string | undefined, sql: string): Promise<T[]> =>
  database.transaction(async (em) => {
    if (tenant !== undefined) await em.execute(`select set_config('app.current_tenant_id', ?, true)`, [tenant]);
    return em.execute<T[]>(sql);
  });

describe('Every table', () => {
  it('has rows of tenants behind row-level security, but for the two that know no tenant', async () => {
    const open = tables.filter(({ hasTenant }) => !hasTenant).map(({ name }) => name);
    expect(open).toEqual(['mikro_orm_migrations', 'projection_position']);
    expect(withTenant().length).toBeGreaterThanOrEqual(11);
    const walls = await owner.query(
      `select c.relname as name, c.relrowsecurity and c.relforcerowsecurity as forced from pg_class c
       where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname in (?) order by 1`,
      [withTenant()],
    );
    expect(walls).toEqual(withTenant().map((name) => ({ name, forced: true })));
  });

  it.each([
    ['the projector', () => app],
    ['a service that reads', () => readerRole],
  ])(
    'shows %s the rows of the tenant it named, without a filter, and none when it named nobody',
    async (_who, role) => {
      for (const table of shown()) {
        const seen = async (tenant?: string) => {
          const rows = await as<{ tenant_id: string }>(role(), tenant, `select distinct tenant_id from ${table}`);
          return { table, tenants: rows.map(({ tenant_id }) => tenant_id) };
        };
        expect(await seen(THEIRS)).toEqual({ table, tenants: [THEIRS] });
        expect(await seen(OURS)).toEqual({ table, tenants: [OURS] });
        expect(await seen('')).toEqual({ table, tenants: [] });
        expect(await seen()).toEqual({ table, tenants: [] });
      }
    },
  );

  it('lets nobody write who is not inside the transaction that moves the position', async () => {
    for (const table of withTenant()) {
      expect(await as(app, OURS, `update ${table} set tenant_id = tenant_id returning 1`)).toEqual([]);
      expect(await as(app, OURS, `delete from ${table} returning 1`)).toEqual([]);
    }
    for (const table of shown()) {
      const copy = as(app, OURS, `insert into ${table} select * from ${table} limit 1`);
      await expect(copy).rejects.toMatchObject({ message: expect.stringMatching(/row-level security/) });
    }
  });

  it('lets a service that reads do nothing else, whatever it says of itself', async () => {
    for (const { name } of tables) {
      for (const sql of [`delete from ${name}`, `insert into ${name} select * from ${name}`, `truncate ${name}`]) {
        const attempt = readerRole.transaction(async (em) => {
          await em.execute(`select set_config('app.projector', 'on', true)`);
          await em.execute(sql);
        });
        await expect(attempt).rejects.toMatchObject({ message: expect.stringMatching(/permission denied/) });
      }
    }
    for (const hidden of ['projection_poison', 'mikro_orm_migrations']) {
      await expect(readerRole.query(`select * from ${hidden}`)).rejects.toMatchObject({ code: 'DATABASE_REFUSED' });
    }
  });
});

describe('A project', () => {
  it('is named by every table that holds what tenants are shown', async () => {
    const named = await owner.query<{ name: string }>(
      `select table_name as name from information_schema.columns
       where table_schema = 'public' and column_name = 'project_id' order by 1`,
    );
    expect(named.map(({ name }) => name)).toEqual(shown());
  });
});

describe('A tenant', () => {
  it('does not find the run or thread of another', async () => {
    const reader = new RunReader(readerRole);
    const id = '01JE0000000000000000000009';
    const store = new ProjectionStore(app);
    const at = await store.load('spec');
    const rows = foldRunRows(stored(aFailedRun(), { tenantId: THEIRS, runId: RunId.parse(id) }));
    await store.commit('spec', at, at + 1, (em) => new ReadModelTables(em).write([rows]));
    expect(await reader.get(THEIRS, id)).toEqual(rows.run);
    expect(await reader.get(OURS, id)).toBeUndefined();
    expect(await reader.deadLetter(OURS, id)).toBeUndefined();
    expect(await reader.thread(OURS, aThreadId)).toMatchObject({ tenantId: OURS });
  });

  it('cannot page on with the cursor of another', async () => {
    const reader = new RunReader(readerRole);
    const { nextCursor } = await reader.list(OURS, { limit: 1 });
    await expect(reader.list(THEIRS, {}, nextCursor)).rejects.toMatchObject({ code: 'CURSOR_INVALID' });
    await expect(reader.list(OURS, {}, nextCursor)).resolves.toMatchObject({ runs: [{ tenantId: OURS }] });
  });
});
