import { Migration } from '@mikro-orm/migrations';

/** Every row names its project, not the run's alone. Rows that are there take it from their run. */
export class NameProjects extends Migration {
  override up(): void {
    for (const table of [...OF_RUNS, 'threads'])
      this.addSql(`alter table "${table}" add column "project_id" text null`);
    this.addSql(`select set_config('app.projector', 'on', true)`); // row-level security holds for the owner as well
    for (const table of OF_RUNS) {
      this.addSql(
        `update "${table}" set "project_id" = runs."project_id" from "runs" where runs."project_id" is not null
          and runs."tenant_id" = "${table}"."tenant_id" and runs."run_id" = "${table}"."run_id"`,
      );
    }
    this.addSql(`select set_config('app.projector', '', true)`);
  }

  override down(): void {
    for (const table of [...OF_RUNS, 'threads']) this.addSql(`alter table "${table}" drop column "project_id"`);
  }
}

/** Those that had none; a failed run's letter had one from the start. */
const OF_RUNS = ['checkpoints', 'input_requests', 'messages', 'run_logs', 'steps', 'tool_calls', 'trail'];
