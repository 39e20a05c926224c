import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { INPUT_RESPONSES, KINDS, RunStatus } from '@millrace/contracts';
import {
  INPUT_REQUEST_STATUSES,
  LOG_LEVELS,
  MESSAGE_ROLES,
  MESSAGE_TYPES,
  type MessageRow,
  type RunLogRow,
  STEP_STATUSES,
  TOOL_CALL_STATUSES,
} from '@millrace/run-views';
import { startTestPostgres, type TestPostgres } from '@millrace/testing/servers';
import { openDatabase, type Database } from './database.js';
import { migrate } from './migrate.js';

let postgres: TestPostgres;
let owner: Database;
beforeAll(async () => {
  postgres = await startTestPostgres();
  const url = await postgres.createDatabase('kinds');
  await migrate({ ownerUrl: url, appPassword: 'secret' });
  owner = await openDatabase({ url, applicationName: 'spec' });
});
afterAll(async () => {
  await owner?.close();
  await postgres.stop();
});

/** The compiler names one that events may carry and this list does not. */
const ROLES = { user: 0, agent: 0, node: 0, system: 0, tool: 0 } satisfies Record<MessageRow['role'], 0>;
const LEVELS = { debug: 0, info: 0, warn: 0, error: 0 } satisfies Record<RunLogRow['level'], 0>;

/** What the code may store in each column that has a fixed choice of values. */
const CHOICES = {
  'runs.status': RunStatus.options,
  'steps.status': STEP_STATUSES,
  'messages.type': MESSAGE_TYPES,
  'messages.role': Object.keys(ROLES),
  'tool_calls.status': TOOL_CALL_STATUSES,
  'input_requests.type': Object.keys(INPUT_RESPONSES),
  'input_requests.status': INPUT_REQUEST_STATUSES,
  'run_logs.level': Object.keys(LEVELS),
  'trail.kind': Object.keys(KINDS),
};

const allowed = async (): Promise<Record<string, string[]>> => {
  const checks = await owner.query<{ column: string; rule: string }>(
    `select con.conrelid::regclass || '.' || att.attname as column, pg_get_constraintdef(con.oid) as rule
     from pg_constraint con join pg_attribute att on att.attrelid = con.conrelid and att.attnum = con.conkey[1]
     where con.contype = 'c' and con.connamespace = 'public'::regnamespace and cardinality(con.conkey) = 1`,
  );
  const values = (rule: string) => [...rule.matchAll(/'([^']*)'::text/g)].map(([, value = '']) => value).sort();
  return Object.fromEntries(checks.map(({ column, rule }) => [column, values(rule)]));
};

describe('The tables', () => {
  it('take exactly the kinds and states the code knows: a new one needs a migration', async () => {
    const known = Object.entries(CHOICES).map(([column, values]) => [column, [...values].sort()]);
    expect(await allowed()).toEqual(Object.fromEntries(known));
  });

  it('are described with the roles and levels that events may carry', () => {
    expect([[...MESSAGE_ROLES].sort(), [...LOG_LEVELS].sort()]).toEqual([
      Object.keys(ROLES).sort(),
      Object.keys(LEVELS).sort(),
    ]);
  });
});
