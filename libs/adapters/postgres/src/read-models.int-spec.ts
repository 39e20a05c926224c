import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RunId, TaskKey, TenantId, type RunFact, type RunRef } from '@millrace/contracts';
import { foldRunRows, keysTouched } from '@millrace/run-views';
import {
  aFailedRun,
  anAnsweredRun,
  aRunningRun,
  checkpointSaved,
  logWritten,
  messageAdded,
  nodeFinished,
  nodeScheduled,
  nodeStarted,
  runRequested,
  runStarted,
  stored,
  toolFinished,
  toolRequested,
} from '@millrace/testing';
import { startTestPostgres, type TestPostgres } from '@millrace/testing/servers';
import { appDatabaseUrl } from './app-role.js';
import { openDatabase, type Database } from './database.js';
import { migrate } from './migrate.js';
import { ProjectionStore } from './projection-store.js';
import { ReadModelTables, runKeyOf } from './read-model-tables.js';
import { RunReader } from './run-reader.js';

const OURS = TenantId.parse('01JEAAAAAAAAAAAAAAAAAAAAAA');
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
  ...anAnsweredRun().map((fact) => (fact.kind === 'RunRequested' ? { ...fact, projectId: 'atlas' } : fact)),
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
      const known = await tables.known([{ run: ref, keys: keysTouched(stored(everything(), ref)) }]);
      expect(known.get(runKeyOf(ref))).toEqual({
        ...{ run: rows.run, steps: rows.steps },
        ...{ toolCalls: rows.toolCalls, inputRequests: rows.inputRequests },
      });
    });
  });

  it('tell steps of one superstep in the order they were scheduled in', async () => {
    const tasks = ['b[10]', 'b[2]', 'a'].map((name) => ({
      ...{ key: TaskKey.parse(`1/${name}`), node: name, iteration: 1, inputHash: 'x' },
    }));
    const ref = aRun(OURS);
    const rows = await project(ref, runRequested(), runStarted(), nodeScheduled({ tasks }));
    expect(rows.steps.map(({ node }) => node)).toEqual(['b[10]', 'b[2]', 'a']);
    expect(await reader.steps(ref.tenantId, ref.runId)).toEqual(rows.steps);
    expect((await reader.rows(ref.tenantId, ref.runId)).steps).toEqual(rows.steps);
  });

  it('hold any round an agent counts to', async () => {
    const ref = aRun(OURS);
    const { messages } = await project(ref, ...aRunningRun(), messageAdded({ round: Number.MAX_SAFE_INTEGER }));
    expect(await reader.messages(ref.tenantId, ref.runId)).toEqual(messages);
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
