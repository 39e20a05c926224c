import type { EntityManager } from '@mikro-orm/postgresql';

/** Whom services connect as: it owns nothing and is no superuser, so row-level security binds it. */
export const APP_ROLE = 'millrace_app';

/** Roles belong to the whole server: another database's migration may make it at the same moment. */
export async function ensureAppRole(em: EntityManager, password: string): Promise<void> {
  await em.execute(`do $$ begin
    create role ${APP_ROLE} login nosuperuser nocreatedb nocreaterole nobypassrls;
  exception when duplicate_object or unique_violation then null;
  end $$`);
  await em.execute(`alter role ${APP_ROLE} password ?`, [password]);
}

/** Rows, never structure; and only of our own tables, whatever else the database holds. */
export async function grantTables(em: EntityManager, tables: readonly string[]): Promise<void> {
  await em.execute(`grant usage on schema public to ${APP_ROLE}`);
  for (const table of tables) {
    await em.execute(`grant select, insert, update, delete on table public."${table}" to ${APP_ROLE}`);
  }
}

/** The same database, as a service connects to it. */
export function appDatabaseUrl(ownerUrl: string, password: string): string {
  const url = new URL(ownerUrl);
  url.username = APP_ROLE;
  url.password = password;
  return url.href;
}
