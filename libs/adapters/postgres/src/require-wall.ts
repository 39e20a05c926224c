import type { Database } from './database.js';
import { DatabaseRefused } from './database-errors.js';

/** Rejects when the role this connects as is one whom row-level security does not hold. */
export async function requireWall(database: Database): Promise<void> {
  const [role] = await database.query<{ name: string; isFree: boolean }>(
    'select rolname as name, rolsuper or rolbypassrls as "isFree" from pg_roles where rolname = current_user',
  );
  if (role === undefined || !role.isFree) return;
  throw new DatabaseRefused(
    `${database.description}: ${role.name} passes by row-level security; connect as millrace_app in DATABASE_URL`,
  );
}
