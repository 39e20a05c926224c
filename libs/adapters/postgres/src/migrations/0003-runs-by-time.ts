import { Migration } from '@mikro-orm/migrations';

/** For lists of runs, which are read backwards from the newest. */
export class OrderRunsByTime extends Migration {
  override up(): void {
    this.addSql(
      `create index "runs_tenant_id_created_at_run_id_index" on "runs" ("tenant_id", "created_at", "run_id")`,
    );
  }

  override down(): void {
    this.addSql('drop index "runs_tenant_id_created_at_run_id_index"');
  }
}
