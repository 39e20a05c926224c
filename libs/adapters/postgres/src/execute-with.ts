import type { EntityManager } from '@mikro-orm/postgresql';
import { CompiledQuery } from 'kysely';

/**
 * One statement in the transaction that is under way, with parameters (`$1`) that travel beside it. What MikroORM
 * executes has them written into its text, letter by letter: for a batch of rows that costs more than folding them.
 */
export async function executeWith<Row extends object>(
  em: EntityManager,
  sql: string,
  parameters: readonly unknown[],
): Promise<Row[]> {
  try {
    const { rows } = await em
      .getKysely<Record<string, never>>()
      .executeQuery<Row>(CompiledQuery.raw(sql, [...parameters]));
    return rows;
  } catch (error) {
    throw em.getDriver().convertException(error as Error);
  }
}
