import type { Database } from '@millrace/adapter-postgres';

/** The rows our tables hold now, to be inserted again into tables with the same columns, rules and indexes. */
export class RawInserts {
  private constructor(
    private readonly owner: Database,
    private readonly tables: readonly { readonly name: string; readonly values: readonly string[] }[],
  ) {}

  static async of(owner: Database): Promise<RawInserts> {
    const columns = await owner.query<{ table: string; column: string }>(
      `select c.relname as table, a.attname as column from pg_class c join pg_attribute a on a.attrelid = c.oid
       where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relrowsecurity and a.attnum > 0
       order by c.relname, a.attnum`,
    );
    const tables = [];
    for (const [name, ofTable] of Map.groupBy(columns, ({ table }) => table)) {
      const literals = ofTable.map(({ column }) => `quote_nullable("${column}"::text)`).join(', ');
      const rows = await owner.query<{ values: string }>(
        `select '(' || concat_ws(',', ${literals}) || ')' as values from "${name}"`,
      );
      tables.push({ name, values: rows.map(({ values }) => values) });
    }
    return new RawInserts(owner, tables);
  }

  get rows(): number {
    return this.tables.reduce((sum, { values }) => sum + values.length, 0);
  }

  /** All of them into empty tables, in so many transactions, each with one statement for each table. */
  async insert(transactions: number): Promise<void> {
    for (let turn = 0; turn < transactions; turn += 1) {
      await this.owner.transaction(async (em) => {
        for (const { name, values } of this.tables) {
          const share = (at: number) => Math.floor((at * values.length) / transactions);
          const some = values.slice(share(turn), share(turn + 1));
          if (some.length > 0) await em.execute(`insert into raw."${name}" values ${some.join(',')}`);
        }
      });
    }
  }

  async empty(): Promise<void> {
    await this.owner.query('drop schema if exists raw cascade');
    await this.owner.query('create schema raw');
    for (const { name } of this.tables) {
      await this.owner.query(`create table raw."${name}" (like public."${name}" including all)`);
    }
  }
}
