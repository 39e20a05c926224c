import type { EntityManager, EntitySchema } from '@mikro-orm/postgresql';

export interface Selection {
  readonly orderBy?: Readonly<Record<string, 'asc' | 'desc'>>;
  readonly limit?: number;
}

/** Rows as plain objects, with the columns of their table and nothing else. */
export async function rowsOf<Row extends object>(
  em: EntityManager,
  entity: EntitySchema,
  where: Readonly<Record<string, unknown>>,
  { orderBy, limit }: Selection = {},
): Promise<Row[]> {
  const found = await em.find<Record<string, unknown>>(entity, where, {
    ...(orderBy === undefined ? {} : { orderBy }),
    ...(limit === undefined ? {} : { limit }),
    disableIdentityMap: true,
  });
  const names = em
    .getMetadata()
    .get(entity)
    .props.map(({ name }) => String(name));
  // The entity's properties are the row's, which a spec shows by storing and reading every table.
  return found.map((one) => Object.fromEntries(names.map((name) => [name, one[name]])) as Row);
}
