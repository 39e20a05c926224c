import { existsSync, readFileSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { spawnGuarded } from './guarded-child.js';
import { type Account, ownedBy } from './postgres-account.js';
import { isRunning, processFolder, processName } from './process-state.js';
import { ServerNotStarted } from './server-errors.js';
import { describeExit } from './start-server.js';

/** Makes an empty cluster unless there is one. */
export async function initCluster(bin: string, dataDir: string, account: Account, durable: boolean): Promise<void> {
  if (existsSync(join(dataDir, 'PG_VERSION'))) return;

  // Made aside and put in place whole: what a killed initdb leaves behind looks like a cluster and is none.
  const half = `${dataDir}.half`;
  rmSync(half, { recursive: true, force: true });
  try {
    await initdb(bin, ownedBy(account, half), account, durable);
    renameSync(half, dataDir);
  } finally {
    rmSync(half, { recursive: true, force: true });
  }
}

/**
 * PostgreSQL believes a lock file whose pid answers to a signal. After a kill -9 that pid may be a process nobody
 * collected, or belong to somebody else by now: then the file means nothing, and would lock the data for ever.
 */
export function removeStaleLock(dataDir: string): void {
  const lock = join(dataDir, 'postmaster.pid');
  if (!existsSync(lock)) return;
  const pid = Number.parseInt(readFileSync(lock, 'utf8'), 10);
  if (!Number.isInteger(pid) || !isServerOf(dataDir, pid)) rmSync(lock, { force: true });
}

/** When the system does not tell, it may well be. */
function isServerOf(dataDir: string, pid: number): boolean {
  if (!isRunning(pid)) return false;
  const name = processName(pid) ?? 'postgres';
  const folder = processFolder(pid) ?? realpathSync(dataDir); // a PostgreSQL works inside its data
  return name === 'postgres' && folder === realpathSync(dataDir);
}

async function initdb(bin: string, dataDir: string, account: Account, durable: boolean): Promise<void> {
  const flags = ['-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', ...(durable ? [] : ['--no-sync'])];
  const child = await spawnGuarded({
    ...account,
    command: join(bin, 'initdb'),
    args: ['-D', dataDir, ...flags],
    cwd: '/',
    env: { ...process.env, LC_ALL: 'C' },
  });
  let output = '';
  child.onOutput((text) => (output += text));
  await child.silent;
  const exit = await child.exited;
  if (exit.code !== 0) throw new ServerNotStarted(`initdb ${describeExit(exit)}`, output);
}
