import type { EntityManager, EntityMetadata } from '@mikro-orm/postgresql';

/** Quoted, and in the schema this database was opened for. */
export function tableIn(em: EntityManager, meta: EntityMetadata): string {
  const schema = em.config.getSchema(true);
  return schema === undefined ? `"${meta.tableName}"` : `"${schema}"."${meta.tableName}"`;
}
