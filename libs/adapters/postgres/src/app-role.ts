import type { EntityManager } from '@mikro-orm/postgresql';

/** Whom the projector connects as: it owns nothing and is no superuser, so row-level security binds it. */
export const APP_ROLE = 'millrace_app';
/** Whom services connect as that show rows and write none. */
export const READER_ROLE = 'millrace_reader';

/** Roles belong to the whole server: another database's migration may make it at the same moment. */
export async function ensureRole(em: EntityManager, role: string, password: string | undefined): Promise<void> {
  await em.execute(`do $$ begin
    create role ${role} login nosuperuser nocreatedb nocreaterole nobypassrls;
  exception when duplicate_object or unique_violation then null;
  end $$`);
  if (password !== undefined) await em.execute(`alter role ${role} password ?`, [password]);
}

/** Rows, never structure; and only of our own tables, whatever else the database holds. */
export async function grantTables(
  em: EntityManager,
  schema: string,
  tables: readonly { readonly name: string; readonly isShown: boolean }[],
): Promise<void> {
  for (const role of [APP_ROLE, READER_ROLE]) await em.execute(`grant usage on schema "${schema}" to ${role}`);
  for (const { name, isShown } of tables) {
    await em.execute(`grant select, insert, update, delete on table "${schema}"."${name}" to ${APP_ROLE}`);
    if (isShown) await em.execute(`grant select on table "${schema}"."${name}" to ${READER_ROLE}`);
  }
}

/** The same database, as the projector connects to it. */
export const appDatabaseUrl = (ownerUrl: string, password: string): string => urlAs(APP_ROLE, ownerUrl, password);

/** The same database, as a service connects to it that only reads. */
export const readerDatabaseUrl = (ownerUrl: string, password: string): string => urlAs(READER_ROLE, ownerUrl, password);

function urlAs(role: string, ownerUrl: string, password: string): string {
  const url = new URL(ownerUrl);
  url.username = role;
  url.password = password;
  return url.href;
}
