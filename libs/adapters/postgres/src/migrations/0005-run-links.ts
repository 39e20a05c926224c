import { Migration } from '@mikro-orm/migrations';

/** What a retry waits for, what an improving run is for, and how often a run is retried by itself. */
export class LinkRuns extends Migration {
  override up(): void {
    this.addSql(
      `alter table "runs" add column "improved_by" text null, add column "improves" text null,
        add column "retry_on_failure" json null`,
    );
  }

  override down(): void {
    this.addSql('alter table "runs" drop column "improved_by", drop column "improves", drop column "retry_on_failure"');
  }
}
