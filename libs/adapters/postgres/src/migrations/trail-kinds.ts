import { Migration } from '@mikro-orm/migrations';

/** A migration that lets one more kind of event into the trail, before a kind that is allowed already. */
export abstract class AllowTrailKind extends Migration {
  protected abstract readonly before: readonly string[];
  protected abstract readonly after: readonly string[];

  override up(): void {
    this.allow(this.after);
  }

  override down(): void {
    this.allow(this.before);
  }

  private allow(kinds: readonly string[]): void {
    this.addSql('alter table "trail" drop constraint "trail_kind_check"');
    const named = kinds.map((kind) => `'${kind}'`).join(', ');
    this.addSql(`alter table "trail" add constraint "trail_kind_check" check ("kind" in (${named}))`);
  }
}
