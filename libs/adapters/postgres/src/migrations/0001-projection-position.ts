import { Migration } from '@mikro-orm/migrations';

export class CreateProjectionPosition extends Migration {
  override up(): void {
    this.addSql(`create table "projection_position" (
      "name" text not null,
      "stream_sequence" bigint not null,
      "updated_at" timestamptz not null,
      primary key ("name")
    )`);
  }

  override down(): void {
    this.addSql('drop table "projection_position"');
  }
}
