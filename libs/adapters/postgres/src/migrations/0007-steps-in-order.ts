import { Migration } from '@mikro-orm/migrations';

/**
 * Steps of one superstep are told in the order they were scheduled in; those that are there have none until the rows
 * are rebuilt. A round is whatever number an agent counts with.
 */
export class OrderSteps extends Migration {
  override up(): void {
    this.addSql('alter table "steps" add column "place" int not null default 0');
    this.addSql('alter table "steps" alter column "place" drop default');
    this.addSql('alter table "messages" alter column "round" type bigint');
  }

  override down(): void {
    this.addSql('alter table "steps" drop column "place"');
    this.addSql('alter table "messages" alter column "round" type int');
  }
}
