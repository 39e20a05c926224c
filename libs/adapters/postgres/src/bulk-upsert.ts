import type { EntityManager, EntityMetadata, EntitySchema } from '@mikro-orm/postgresql';
import { executeWith } from './execute-with.js';
import { tableIn } from './table-in.js';

/**
 * Writes many rows with one statement and one parameter, in place of those with the same key. PostgreSQL takes the rows
 * apart itself: as parameters of their own, the columns of a thousand rows cost more than all the rest of a batch.
 */
export async function bulkUpsert(em: EntityManager, entity: EntitySchema, rows: readonly object[]): Promise<void> {
  if (rows.length === 0) return;
  const meta = em.getMetadata().get(entity);
  const { sql, jsonNames } = statementFor(meta, tableIn(em, meta));
  await executeWith(em, sql, [JSON.stringify(rows.map((row) => withTexts(row, jsonNames)))]);
}

interface Statement {
  readonly sql: string;
  /** Columns that hold JSON. */
  readonly jsonNames: readonly string[];
}

const statements = new Map<string, Statement>();

function statementFor(meta: EntityMetadata, table: string): Statement {
  const known = statements.get(table);
  if (known !== undefined) return known;
  const columns = meta.props.map(({ name, fieldNames, columnTypes, primary }) => ({
    name,
    field: `"${fieldNames[0]}"`,
    type: columnTypes[0] ?? 'text',
    isKey: primary === true,
  }));
  const fields = columns.map(({ field }) => field).join(', ');
  // JSON comes as a text, which is taken as it is. Inside of JSON, PostgreSQL would read every text, and refuse a NUL.
  const values = columns.map(({ name, type }) => (type === 'json' ? `"${name}"::json` : `"${name}"`)).join(', ');
  const types = columns.map(({ name, type }) => `"${name}" ${type === 'json' ? 'text' : type}`).join(', ');
  const keys = columns.filter(({ isKey }) => isKey).map(({ field }) => field);
  const changes = columns.filter(({ isKey }) => !isKey).map(({ field }) => `${field} = excluded.${field}`);
  const statement = {
    sql: `insert into ${table} (${fields}) select ${values} from json_to_recordset($1::json) as rows (${types})
      on conflict (${keys.join(', ')}) do update set ${changes.join(', ')}`,
    jsonNames: columns.filter(({ type }) => type === 'json').map(({ name }) => String(name)),
  };
  statements.set(table, statement);
  return statement;
}

/** Columns that hold JSON go as its text; what is in them is no column. */
const withTexts = (row: object, jsonNames: readonly string[]): object => {
  const sent: Record<string, unknown> = { ...row };
  for (const name of jsonNames) sent[name] = sent[name] === null ? null : JSON.stringify(sent[name]);
  return sent;
};
