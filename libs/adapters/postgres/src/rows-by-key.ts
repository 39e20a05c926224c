import type { EntityManager, EntityMetadata, EntitySchema } from '@mikro-orm/postgresql';
import { executeWith } from './execute-with.js';
import { tableIn } from './table-in.js';

/** Rows as they were folded, by the whole of their primary keys, in one statement and whatever their number. */
export async function rowsByKey<Row extends object>(
  em: EntityManager,
  entity: EntitySchema,
  keys: readonly object[],
): Promise<Row[]> {
  if (keys.length === 0) return [];
  const meta = em.getMetadata().get(entity);
  const names = meta.primaryKeys.map(String);
  const values = names.map((name) => keys.map((key) => (key as Record<string, unknown>)[name]));
  const found = await executeWith<Record<string, unknown>>(em, statementFor(meta, tableIn(em, meta)), values);
  const platform = em.getPlatform();
  const converted = meta.props.filter(({ customType }) => customType !== undefined);
  for (const row of found) {
    for (const { name, customType } of converted) row[name] = customType?.convertToJSValue(row[name], platform);
  }
  return found as Row[];
}

const statements = new Map<string, string>();

function statementFor(meta: EntityMetadata, table: string): string {
  const known = statements.get(table);
  if (known !== undefined) return known;
  const columns = meta.props.map(({ name, fieldNames }) => `t."${fieldNames[0]}" as "${name}"`).join(', ');
  const keys = meta.props.filter(({ primary }) => primary === true);
  const fields = keys.map(({ fieldNames }) => `"${fieldNames[0]}"`).join(', ');
  const arrays = keys.map(({ columnTypes }, at) => `$${at + 1}::${columnTypes[0]}[]`).join(', ');
  const statement = `select ${columns} from unnest(${arrays}) as wanted (${fields}) join ${table} as t using (${fields})`;
  statements.set(table, statement);
  return statement;
}
