import { execFile } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Account } from './postgres-account.js';
import { isRunning, processName } from './process-state.js';

const run = promisify(execFile);

/** Makes an empty cluster unless there is one. */
export async function initCluster(bin: string, dataDir: string, account: Account, durable: boolean): Promise<void> {
  if (existsSync(join(dataDir, 'PG_VERSION'))) return;
  const flags = ['-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', ...(durable ? [] : ['--no-sync'])];
  const env = { ...process.env, LC_ALL: 'C' };
  await run(join(bin, 'initdb'), ['-D', dataDir, ...flags], { ...account, cwd: '/', env });
}

/**
 * PostgreSQL believes a lock file whose pid answers to a signal. After a kill -9 that pid may be a process nobody
 * collected, or belong to somebody else by now: then the file means nothing, and would lock the data for ever.
 */
export function removeStaleLock(dataDir: string): void {
  const lock = join(dataDir, 'postmaster.pid');
  if (!existsSync(lock)) return;
  const pid = Number.parseInt(readFileSync(lock, 'utf8'), 10);
  const name = Number.isInteger(pid) && isRunning(pid) ? (processName(pid) ?? 'postgres') : undefined;
  if (name !== 'postgres') rmSync(lock, { force: true });
}
