import { existsSync, readFileSync, readlinkSync } from 'node:fs';
import { types } from 'node:util';

/**
 * Whether a process does anything still. One that ended but was never collected (in a container whose first process
 * does not do that) answers to signals like a living one, and would hold every lock for ever.
 */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (types.isNativeError(error) && 'code' in error && error.code === 'ESRCH') return false;
    if (types.isNativeError(error) && 'code' in error && error.code === 'EPERM') return !isZombie(pid);
    throw error;
  }
  return !isZombie(pid);
}

/** The name of its executable; undefined when it is gone or the system does not tell. */
export function processName(pid: number): string | undefined {
  return procStat(pid)?.name;
}

/** The folder it works in; undefined when it is gone or the system does not tell. */
export function processFolder(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined; // no such process, not ours to look at, or no /proc: nothing is known
  }
}

/** The processes it started itself; none where the system does not tell. */
export function childrenOf(pid: number): number[] {
  const file = `/proc/${pid}/task/${pid}/children`;
  return existsSync(file) ? readFileSync(file, 'utf8').split(' ').filter(Boolean).map(Number) : [];
}

/** Tells two processes apart that had the same pid one after the other; undefined where the system does not tell. */
export function processStartedAt(pid: number): string | undefined {
  return procStat(pid)?.startedAt;
}

const isZombie = (pid: number): boolean => procStat(pid)?.state === 'Z';

/** Linux only; elsewhere nothing is known. */
function procStat(pid: number): { name: string; state: string; startedAt: string } | undefined {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return undefined;
  // "pid (name) state ppid ...": the name may hold spaces and brackets, so what follows begins after the last bracket.
  const text = readFileSync(file, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state = '?'] = fields;
  return { name: text.slice(text.indexOf('(') + 1, text.lastIndexOf(')')), state, startedAt: fields[19] ?? '?' };
}
