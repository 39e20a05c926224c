import { isRunning, processStartedAt } from '@millrace/local-servers';
import { rmSync, writeFileSync } from 'node:fs';
import { types } from 'node:util';
import { z } from 'zod';
import type { Home } from './home.js';
import { AlreadyRunning } from './launcher-errors.js';
import { readFileIfThere } from './private-file.js';
import { removeStack } from './stack-file.js';

/** With the time it started: after a crash and a reboot the pid may belong to anybody. */
const Holder = z.object({ pid: z.int(), startedAt: z.string().optional() });
type Holder = z.infer<typeof Holder>;

/**
 * One launcher for each home. Resolves with whether an earlier one ended without cleaning up; what it left is removed,
 * its data is kept.
 */
export function takeLock(home: Home): { readonly wasStale: boolean } {
  const wasStale = clearStaleLock(home);
  const me: Holder = { pid: process.pid, startedAt: processStartedAt(process.pid) };
  try {
    writeFileSync(home.lockFile, JSON.stringify(me), { flag: 'wx', mode: 0o600 }); // whoever makes the file has it
  } catch (error) {
    if (!types.isNativeError(error) || !('code' in error) || error.code !== 'EEXIST') throw error;
    throw alreadyRunning(home);
  }
  return { wasStale };
}

export function releaseLock({ lockFile }: Home): void {
  rmSync(lockFile, { force: true });
}

/** The pid of the launcher that runs in this home, if one does. */
export function runningLauncher(home: Home): number | undefined {
  const holder = readHolder(home);
  if (holder === undefined || !isRunning(holder.pid)) return undefined;
  return processStartedAt(holder.pid) === holder.startedAt ? holder.pid : undefined;
}

/** Also what an ended launcher left behind, lock and stack.json. True when there was something. */
export function clearStaleLock(home: Home): boolean {
  if (runningLauncher(home) !== undefined) throw alreadyRunning(home);
  const wasStale = readFileIfThere(home.lockFile) !== undefined || readFileIfThere(home.stackFile) !== undefined;
  releaseLock(home);
  removeStack(home);
  return wasStale;
}

function readHolder({ lockFile }: Home): Holder | undefined {
  const text = readFileIfThere(lockFile);
  if (text === undefined) return undefined;
  try {
    return Holder.parse(JSON.parse(text));
  } catch {
    return undefined; // cut short by a crash: nobody holds it
  }
}

const alreadyRunning = (home: Home): AlreadyRunning =>
  new AlreadyRunning(
    `Millrace runs already (pid ${runningLauncher(home) ?? 'unknown'}): use it as ${home.stackFile} says, or npm stop first`,
  );
