import { Migration } from '@mikro-orm/migrations';

/** The moment it was set aside is another one each time the log is projected; the moment it was stored is not. */
export class PoisonStoredAt extends Migration {
  override up(): void {
    this.addSql('alter table "projection_poison" rename column "recorded_at" to "stored_at"');
  }

  override down(): void {
    this.addSql('alter table "projection_poison" rename column "stored_at" to "recorded_at"');
  }
}
