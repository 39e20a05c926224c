import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { aThreadId, RunId, TenantId, THREAD_CREATED_FIXTURE, type RunFact, type RunRef } from '@millrace/contracts';
import { foldRunRows, foldThread, keysTouched } from '@millrace/run-views';
import {
  aFailedRun,
  anAnsweredRun,
  checkpointSaved,
  inputRequested,
  logWritten,
  messageAdded,
  nodeFinished,
  nodeStarted,
  runRequested,
  stored,
  toolFinished,
  toolRequested,
} from '@millrace/testing';
import { startTestPostgres, type TestPostgres } from '@millrace/testing/servers';
import { appDatabaseUrl } from './app-role.js';
import { openDatabase, type Database } from './database.js';
import { migrate } from './migrate.js';
import { ProjectionStore } from './projection-store.js';
import { ReadModelTables } from './read-model-tables.js';
import { RunReader } from './run-reader.js';

const OURS = TenantId.parse('01JEAAAAAAAAAAAAAAAAAAAAAA');
const THEIRS = TenantId.parse('01JEBBBBBBBBBBBBBBBBBBBBBB');
const TABLES = [
  ...['runs', 'steps', 'messages', 'tool_calls', 'input_requests'],
  ...['run_logs', 'trail', 'checkpoints', 'dead_letters', 'threads'],
];
const HOSTILE = { text: 'a\0b \uD800 \u2028 "quoted" \\', nested: [null, '123', 'null', { __proto__x: 1 }], n: 1e21 };

let postgres: TestPostgres;
let app: Database;
let store: ProjectionStore;
let reader: RunReader;
beforeAll(async () => {
  postgres = await startTestPostgres();
  const url = await postgres.createDatabase('readmodels');
  await migrate({ ownerUrl: url, appPassword: 'secret' });
  app = await openDatabase({ url: appDatabaseUrl(url, 'secret'), applicationName: 'spec' });
  store = new ProjectionStore(app);
  reader = new RunReader(app);
});
afterAll(async () => {
  await app?.close();
  await postgres.stop();
});

let runs = 0;
const aRun = (tenantId: TenantId): RunRef => ({
  tenantId,
  runId: RunId.parse(`01JE${String(++runs).padStart(22, '0')}`),
});

/** As the projector writes: at the position it stands at. */
const write = async (work: (tables: ReadModelTables) => Promise<void>): Promise<void> => {
  const at = await store.load('spec');
  await store.commit('spec', at, at + 1, (em) => work(new ReadModelTables(em)));
};
const project = async (ref: RunRef, ...facts: RunFact[]) => {
  const rows = foldRunRows(stored(facts, ref));
  await write((tables) => tables.write([rows]));
  return rows;
};
const everything = (): RunFact[] => [
  ...anAnsweredRun(),
  nodeStarted({ attempt: 2, continues: true }),
  toolRequested({ attempt: 2, input: HOSTILE }),
  toolFinished({ attempt: 2, output: HOSTILE }),
  messageAdded({ attempt: 2, content: HOSTILE }),
  messageAdded({ attempt: 2, content: '"123"' }),
  logWritten({ attempt: 2, payload: HOSTILE, message: 'a\0b' }),
  checkpointSaved(),
  nodeFinished({ attempt: 2, output: HOSTILE, durationMs: 0.25 }),
];

describe('The read models', () => {
  it('give back every row as it was folded, hostile content included', async () => {
    const ref = aRun(OURS);
    const { tenantId, runId } = ref;
    const rows = await project(ref, ...everything());
    expect(await reader.get(tenantId, runId)).toEqual(rows.run);
    expect(await reader.steps(tenantId, runId)).toEqual(rows.steps);
    expect(await reader.messages(tenantId, runId)).toEqual(rows.messages);
    expect(await reader.toolCalls(tenantId, runId)).toEqual(rows.toolCalls);
    expect(await reader.inputRequests(tenantId, runId)).toEqual(rows.inputRequests);
    expect(await reader.logs(tenantId, runId)).toEqual(rows.logs);
    expect(await reader.trail(tenantId, runId)).toEqual(rows.trail);
    expect(await reader.checkpoints(tenantId, runId)).toEqual(rows.checkpoints);
    await write(async (tables) => {
      const known = await tables.known(ref, keysTouched(stored(everything(), ref)));
      expect(known).toEqual({
        ...{ run: rows.run, steps: rows.steps },
        ...{ toolCalls: rows.toolCalls, inputRequests: rows.inputRequests },
      });
    });
  });

  it('take a changed row in place of the one before', async () => {
    const ref = aRun(OURS);
    await project(ref, runRequested());
    const { run, deadLetter } = await project(ref, ...aFailedRun());
    expect(await reader.get(ref.tenantId, ref.runId)).toEqual(run);
    expect(await reader.deadLetter(ref.tenantId, ref.runId)).toEqual(deadLetter);
  });

  it('refuse a kind or state they do not know', async () => {
    const rows = foldRunRows(stored([runRequested()], aRun(OURS)));
    const run = { ...rows.run, status: 'ASLEEP' } as unknown as NonNullable<typeof rows.run>;
    await expect(write((tables) => tables.write([{ ...rows, run }]))).rejects.toMatchObject({
      code: 'DATABASE_REFUSED',
      message: expect.stringContaining('runs_status_check'),
    });
  });
});

describe('A tenant', () => {
  beforeAll(async () => {
    for (const tenant of [OURS, THEIRS]) {
      await project(aRun(tenant), ...everything(), inputRequested());
      await project(aRun(tenant), ...aFailedRun());
      const thread = foldThread([{ ...THREAD_CREATED_FIXTURE, tenantId: tenant }]);
      if (thread) await write((tables) => tables.writeThreads([thread]));
    }
  });

  it.each(TABLES)('sees its own rows of %s without asking for them, and nobody else sees any', async (table) => {
    const tenants = (tenant: string | undefined) =>
      app.transaction(async (em) => {
        if (tenant !== undefined) await em.execute(`select set_config('app.current_tenant_id', ?, true)`, [tenant]);
        return (await em.execute<{ tenant_id: string }[]>(`select distinct tenant_id from ${table}`)).map(
          ({ tenant_id }) => tenant_id,
        );
      });
    expect(await tenants(THEIRS)).toEqual([THEIRS]);
    expect(await tenants(OURS)).toEqual([OURS]);
    expect(await tenants('')).toEqual([]);
    expect(await tenants(undefined)).toEqual([]);
  });

  it.each(TABLES)('cannot write to %s, not even its own rows', async (table) => {
    const changed = await app.transaction(async (em) => {
      await em.execute(`select set_config('app.current_tenant_id', ?, true)`, [OURS]);
      await em.execute(`update ${table} set tenant_id = tenant_id`);
      return em.execute<object[]>(`delete from ${table} returning 1`);
    });
    expect(changed).toEqual([]);
    await expect(
      app.transaction(async (em) => {
        await em.execute(`select set_config('app.current_tenant_id', ?, true)`, [OURS]);
        await em.execute(`insert into ${table} select * from ${table} limit 1`);
      }),
    ).rejects.toMatchObject({ code: 'DATABASE_REFUSED', message: expect.stringMatching(/row-level security/) });
  });

  it('does not find the run or thread of another', async () => {
    const [theirs] = (await reader.list(THEIRS)).runs;
    expect(await reader.get(OURS, theirs?.runId ?? '')).toBeUndefined();
    expect(await reader.thread(OURS, aThreadId)).toMatchObject({ tenantId: OURS });
  });

  it('cannot page on with the cursor of another', async () => {
    const { nextCursor } = await reader.list(OURS, { limit: 1 });
    await expect(reader.list(THEIRS, {}, nextCursor)).rejects.toMatchObject({ code: 'CURSOR_INVALID' });
    await expect(reader.list(OURS, {}, nextCursor)).resolves.toMatchObject({ runs: expect.any(Array) });
  });

  it('filters its runs by state and time', async () => {
    const { runs: failed } = await reader.list(OURS, { status: 'FAILED', createdFrom: '2026-01-12T10:00:00.000Z' });
    expect(new Set(failed.map(({ status }) => status))).toEqual(new Set(['FAILED']));
    expect((await reader.list(OURS, { createdBefore: '2026-01-12T10:00:00.000Z' })).runs).toEqual([]);
  });
});
