import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RunId, type RunStatus, TenantId } from '@millrace/contracts';
import { foldRunRows, type RunRow } from '@millrace/run-views';
import { runRequested, stored } from '@millrace/testing';
import { startTestPostgres, type TestPostgres } from '@millrace/testing/servers';
import fc from 'fast-check';
import { appDatabaseUrl } from './app-role.js';
import { openDatabase, type Database } from './database.js';
import { migrate } from './migrate.js';
import { ProjectionStore } from './projection-store.js';
import { ReadModelTables } from './read-model-tables.js';
import { RunReader, type RunFilters } from './run-reader.js';

let postgres: TestPostgres;
let app: Database;
let reader: RunReader;
beforeAll(async () => {
  postgres = await startTestPostgres();
  const url = await postgres.createDatabase('lists');
  await migrate({ ownerUrl: url, appPassword: 'secret' });
  app = await openDatabase({ url: appDatabaseUrl(url, 'secret'), applicationName: 'spec' });
  reader = new RunReader(app);
});
afterAll(async () => {
  await app?.close();
  await postgres.stop();
});

async function write(rows: readonly RunRow[]): Promise<void> {
  const store = new ProjectionStore(app);
  const at = await store.load('lists');
  const none = foldRunRows([]);
  await store.commit('lists', at, at + 1, (em) => new ReadModelTables(em).write(rows.map((run) => ({ ...none, run }))));
}

const [requested] = [foldRunRows(stored([runRequested()])).run];
if (requested === undefined) throw new Error('a requested run has a row');
const TEMPLATE = requested;

/** Three moments for all runs, and ids that have nothing to do with them. */
const MOMENTS = ['2026-01-12T10:00:00.000Z', '2026-01-12T10:00:00.001Z', '2026-01-12T11:00:00.000Z'] as const;
const anyRun = fc.record({
  runId: fc.nat({ max: 2 ** 30 }).map((number) => RunId.parse(`01JE${String(number).padStart(22, '0')}`)),
  createdAt: fc.constantFrom(...MOMENTS),
  status: fc.constantFrom<RunStatus>('PENDING', 'RUNNING', 'FAILED'),
  agent: fc.constantFrom('writer', 'critic'),
  threadId: fc.constantFrom(null, '01JE000000000000000000000T'),
  userId: fc.constantFrom('ada', 'bob'),
  projectId: fc.constantFrom(null, 'p1'),
});
const anyRuns = fc.uniqueArray(anyRun, { selector: ({ runId }) => runId, minLength: 1, maxLength: 30 });
const anyFilters: fc.Arbitrary<RunFilters> = fc.record(
  {
    status: fc.constantFrom<RunStatus>('PENDING', 'FAILED'),
    agent: fc.constantFrom('writer', 'nobody'),
    threadId: fc.constant('01JE000000000000000000000T'),
    userId: fc.constant('ada'),
    projectId: fc.constant('p1'),
    createdFrom: fc.constantFrom(...MOMENTS),
    createdBefore: fc.constantFrom(...MOMENTS),
    limit: fc.integer({ min: 1, max: 7 }),
  },
  { requiredKeys: ['limit'] },
);

const isWanted = (run: RunRow, { limit: _limit, createdFrom, createdBefore, ...columns }: RunFilters): boolean =>
  Object.entries(columns).every(([column, value]) => run[column as keyof typeof columns] === value) &&
  (createdFrom === undefined || run.createdAt >= createdFrom) &&
  (createdBefore === undefined || run.createdAt < createdBefore);

const newestFirst = (left: RunRow, right: RunRow): number =>
  right.createdAt.localeCompare(left.createdAt) || (right.runId < left.runId ? -1 : 1);

let tenants = 0;

describe('A list of runs', () => {
  it('shows each run once, newest first, over pages, filters, equal moments and runs that come meanwhile', async () => {
    await fc.assert(
      fc.asyncProperty(anyRuns, anyFilters, fc.nat({ max: 30 }), async (runs, filters, share) => {
        const tenantId = TenantId.parse(`01JE${String(++tenants).padStart(22, '0')}`);
        const rows = runs.map((run) => ({ ...TEMPLATE, ...run, tenantId }));
        const [first, late] = [rows.slice(share), rows.slice(0, share)];
        await write(first);

        const seen: RunRow[] = [];
        for (let cursor: string | undefined, more = true; more;) {
          const page = await reader.list(tenantId, filters, cursor);
          expect(page.runs.length).toBeLessThanOrEqual(filters.limit ?? 0);
          seen.push(...page.runs);
          await write(late.splice(0, 1));
          cursor = page.nextCursor;
          more = cursor !== undefined;
        }

        expect(seen).toEqual([...seen].sort(newestFirst));
        expect(new Set(seen.map(({ runId }) => runId)).size).toBe(seen.length);
        expect(seen.filter((run) => !isWanted(run, filters))).toEqual([]);
        const missed = first.filter((run) => isWanted(run, filters) && !seen.some(({ runId }) => runId === run.runId));
        expect(missed).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it('reads no more of a tenant with many runs than the page it shows', async () => {
    const tenantId = TenantId.parse('01JEZZZZZZZZZZZZZZZZZZZZZZ');
    const rows = Array.from({ length: 3_000 }, (_, index) => ({
      ...TEMPLATE,
      tenantId,
      runId: RunId.parse(`01JE${String(index).padStart(22, '0')}`),
      createdAt: new Date(Date.UTC(2026, 0, 12) + (index % 500) * 1_000).toISOString(),
    }));
    await write(rows);
    const plan = await app.transaction(async (em) => {
      await em.execute(`select set_config('app.current_tenant_id', ?, true)`, [tenantId]);
      return em.execute<{ 'QUERY PLAN': string }[]>(
        `explain select * from runs where tenant_id = ? and created_at <= ? and (created_at < ? or run_id < ?)
         order by created_at desc, run_id desc limit 51`,
        [tenantId, MOMENTS[0], MOMENTS[0], rows[0]?.runId],
      );
    });
    const lines = plan.map((line) => line['QUERY PLAN']).join('\n');
    expect(lines).toContain('Index Scan Backward using runs_tenant_id_created_at_run_id_index');
    expect(lines).not.toContain('Sort');
  });
});
