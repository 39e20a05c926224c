import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RunId } from '@millrace/contracts';
import { foldRunRows } from '@millrace/run-views';
import {
  anAskingRun,
  aRunRef,
  checkpointSaved,
  logWritten,
  runRequested,
  stored,
  toolRequested,
} from '@millrace/testing';
import { startTestPostgres, type TestPostgres } from '@millrace/testing/servers';
import { APP_ROLE, appDatabaseUrl } from './app-role.js';
import { type Database, openDatabase } from './database.js';
import { migrate, openForMigration } from './migrate.js';
import { MIGRATIONS } from './migrations.js';
import { ProjectionStore } from './projection-store.js';
import { ReadModelTables } from './read-model-tables.js';
import { RunReader } from './run-reader.js';

let postgres: TestPostgres;
const opened: Database[] = [];
beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(async () => {
  await Promise.all(opened.map((database) => database.close()));
  await postgres.stop();
});

const open = async (url: string): Promise<Database> => {
  const database = await openDatabase({ url, applicationName: 'spec' });
  opened.push(database);
  return database;
};

describe('migrate', () => {
  it('leaves tables that are exactly what the entities say', async () => {
    const url = await postgres.createDatabase('drift');
    await migrate({ ownerUrl: url, appPassword: 'secret' });

    const orm = await openForMigration(url);
    const difference = await orm.schema.getUpdateSchemaSQL();
    await orm.close(true);
    expect(difference).toBe('');
  });

  it('may be called by many at once: each migration runs once and nobody fails', async () => {
    const url = await postgres.createDatabase('race');
    await Promise.all(Array.from({ length: 5 }, () => migrate({ ownerUrl: url, appPassword: 'secret' })));

    const owner = await open(url);
    const applied = await owner.query<{ name: string }>('select name from mikro_orm_migrations order by id');
    expect(applied.map(({ name }) => name)).toEqual(MIGRATIONS.map(({ name }) => name));
  });

  it('changes nothing when it runs again, and keeps what is stored', async () => {
    const url = await postgres.createDatabase('again');
    await migrate({ ownerUrl: url, appPassword: 'secret' });
    const app = await open(appDatabaseUrl(url, 'secret'));
    await app.query(`insert into projection_position values ('kept', 7, now())`);

    await migrate({ ownerUrl: url, appPassword: 'another' });

    expect(await app.query('select name, stream_sequence::int as at from projection_position')).toEqual([
      { name: 'kept', at: 7 },
    ]);
  });

  it('gives rows that are there the project of their run, whoever owns the tables', async () => {
    await migrate({ ownerUrl: await postgres.createDatabase('roles_first'), appPassword: 'secret' });
    const url = await postgres.createDatabase('projects');
    const superuser = await open(url);
    await superuser.query(`create role mere_owner login password 'secret' createrole`);
    await superuser.query('grant millrace_app, millrace_reader to mere_owner with admin option');
    await superuser.query('alter database projects owner to mere_owner');
    const ownerUrl = new URL(url);
    [ownerUrl.username, ownerUrl.password] = ['mere_owner', 'secret'];
    await migrate({ ownerUrl: ownerUrl.href, appPassword: 'secret' });

    const app = await open(appDatabaseUrl(url, 'secret'));
    const rows = ['atlas', undefined].map((projectId, at) =>
      foldRunRows(
        stored(
          [runRequested({ projectId }), ...anAskingRun().slice(1), logWritten(), checkpointSaved(), toolRequested()],
          {
            ...aRunRef,
            runId: RunId.parse(`01JE${String(at).padStart(22, '0')}`),
          },
        ),
      ),
    );
    await new ProjectionStore(app).load('spec');
    await new ProjectionStore(app).commit('spec', 0, 1, (em) => new ReadModelTables(em).write(rows));

    const orm = await openForMigration(ownerUrl.href);
    await orm.migrator.down({ to: '0005-run-links' });
    await orm.close(true);
    await expect(app.query('select project_id from trail')).rejects.toMatchObject({ code: 'DATABASE_NOT_MIGRATED' });

    await migrate({ ownerUrl: ownerUrl.href, appPassword: 'secret' });
    for (const before of rows) {
      const { tenantId = '', runId = '' } = before.run ?? {};
      expect(await new RunReader(app).rows(tenantId, runId)).toEqual(before);
    }
  });

  it('makes the database when it is asked to, and only then', async () => {
    const ownerUrl = postgres.url.replace(/\/postgres$/, '/made');
    for (let runs = 0; runs < 2; runs++) await migrate({ ownerUrl, appPassword: 'secret', createDatabase: true });
    const app = await open(appDatabaseUrl(ownerUrl, 'secret'));
    expect(await app.query('select * from projection_position')).toEqual([]);
  });

  it('says which database is missing', async () => {
    const url = postgres.url.replace(/\/postgres$/, '/nowhere');
    await expect(migrate({ ownerUrl: url, appPassword: 'secret' })).rejects.toMatchObject({
      code: 'DATABASE_REFUSED',
      message: expect.stringMatching(/^PostgreSQL database nowhere on .* does not exist: create it/),
    });
  });
});

describe("the services' role", () => {
  let app: Database;
  beforeAll(async () => {
    const url = await postgres.createDatabase('roles');
    await migrate({ ownerUrl: url, appPassword: 'it\'s a "secret"' });
    app = await open(appDatabaseUrl(url, 'it\'s a "secret"'));
  });

  it('is no superuser, does not pass by row-level security and owns nothing', async () => {
    const [role] = await app.query(
      'select rolname, rolsuper, rolbypassrls, rolcreaterole from pg_roles where rolname = current_user',
    );
    expect(role).toEqual({ rolname: APP_ROLE, rolsuper: false, rolbypassrls: false, rolcreaterole: false });
    expect(await app.query('select tablename from pg_tables where tableowner = current_user')).toEqual([]);
  });

  it.each([
    ['make a table', 'create table public.mine (id int)'],
    ['change a table', 'alter table projection_position add column more int'],
    ['drop a table', 'drop table projection_position'],
    ['empty a table at once', 'truncate projection_position'],
    ['pretend that a migration ran', `insert into mikro_orm_migrations (name) values ('0002')`],
  ])('cannot %s', async (_what, sql) => {
    await expect(app.query(sql)).rejects.toMatchObject({ code: 'DATABASE_REFUSED' });
  });
});
