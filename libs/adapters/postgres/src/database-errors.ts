import { PlatformError } from '@millrace/kernel';

/** The database cannot be reached or gave up on the work. Nothing is known about a commit that was under way. */
export class DatabaseUnavailable extends PlatformError {
  readonly code = 'DATABASE_UNAVAILABLE';
  readonly redelivery = 'retry';
}

/** What the code expects is not there: the migrations have not run, or ran for an older version. */
export class DatabaseNotMigrated extends PlatformError {
  readonly code = 'DATABASE_NOT_MIGRATED';
  readonly redelivery = 'retry';
}

/** The database understood and said no: wrong user, missing right, broken rule. Repeating it does not help. */
export class DatabaseRefused extends PlatformError {
  readonly code = 'DATABASE_REFUSED';
  readonly redelivery = 'park';
}

/** Another process has advanced the projection since its position was read. */
export class PositionMoved extends PlatformError {
  readonly code = 'POSITION_MOVED';
  readonly redelivery = 'retry';
}

/** `where` names the database without its password. */
export function translateDatabaseError(cause: unknown, where: string): PlatformError {
  if (cause instanceof PlatformError) return cause;
  const state = sqlStateOf(cause);
  const said = messageOf(cause);
  if (state === undefined || passesByItself(state)) {
    return new DatabaseUnavailable(`${where} is not available: ${said}${isNobodyThere(cause) ? FIX : ''}`, { cause });
  }
  if (state === '3D000') {
    return new DatabaseRefused(`${where} does not exist: create it, or correct DATABASE_URL`, { cause });
  }
  if (state === UNDEFINED_TABLE || state === UNDEFINED_COLUMN) {
    return new DatabaseNotMigrated(`${where} is not migrated (${said}): run npm run setup`, { cause });
  }
  return new DatabaseRefused(`${where} refused: ${said} (${state})`, { cause });
}

/** The data itself was refused (a value, a rule, a size): it will be again, and other data will not. */
export const isDataRefused = (cause: unknown): boolean => /^(22|23|54)/.test(sqlStateOf(cause) ?? '');

const FIX = '; start it, or correct DATABASE_URL';
const NOBODY_THERE = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH']);
const isNobodyThere = (cause: unknown): boolean =>
  cause !== null && typeof cause === 'object' && 'code' in cause && NOBODY_THERE.has(String(cause.code));

const UNDEFINED_TABLE = '42P01';
const UNDEFINED_COLUMN = '42703';

/** Lost connections, restarts, exhausted resources, lost races: class 08, 53, 57P and 40 of PostgreSQL's codes. */
const passesByItself = (state: string): boolean => /^(08|53|40|57P|55P03|57014)/.test(state);

/** What the server sent has a code of five characters, digits among them; EPIPE and its like come from the network. */
function sqlStateOf(cause: unknown): string | undefined {
  if (cause === null || typeof cause !== 'object' || !('code' in cause)) return undefined;
  return typeof cause.code === 'string' && /^(?=.*\d)[0-9A-Z]{5}$/.test(cause.code) ? cause.code : undefined;
}

/** A name with several addresses fails with an error for each of them and no text of its own. */
function messageOf(cause: unknown): string {
  if (cause === null || typeof cause !== 'object') return String(cause);
  if ('errors' in cause && Array.isArray(cause.errors)) return cause.errors.map(messageOf).join(', ');
  return 'message' in cause ? (String(cause.message).split('\n').at(0) ?? '') : 'an error without a message';
}
