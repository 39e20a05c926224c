import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { types } from 'node:util';

/**
 * Whether a process does anything still. One that ended but was never collected (in a container whose first process
 * does not do that) answers to signals like a living one, and would hold every lock for ever.
 */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return false;
    if (codeOf(error) !== 'EPERM') throw error;
  }
  return !isZombie(pid);
}

/** The name of its executable; undefined when it is gone or the system does not tell. */
export function processName(pid: number): string | undefined {
  return procStat(pid)?.name;
}

/** The folder it works in; undefined when it is gone or the system does not tell. */
export function processFolder(pid: number): string | undefined {
  return ifThere(() => readlinkSync(`/proc/${pid}/cwd`));
}

/** The processes it started itself; none where the system does not tell. */
export function childrenOf(pid: number): number[] {
  const text = ifThere(() => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')) ?? '';
  return text.split(' ').filter(Boolean).map(Number);
}

/** Whether SIGSTOP has reached all its threads, which takes a moment. One that has ended does nothing either. */
export function isStopped(pid: number): boolean {
  const threads = ifThere(() => readdirSync(`/proc/${pid}/task`)) ?? [];
  return threads.every((thread) => ['T', 'Z', 'X', undefined].includes(procStat(Number(thread))?.state));
}

/** Tells two processes apart that had the same pid one after the other; undefined where the system does not tell. */
export function processStartedAt(pid: number): string | undefined {
  return procStat(pid)?.startedAt;
}

const isZombie = (pid: number): boolean => procStat(pid)?.state === 'Z';

/** Linux only; elsewhere nothing is known. */
function procStat(pid: number): { name: string; state: string; startedAt: string } | undefined {
  const text = ifThere(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  if (text === undefined) return undefined;
  // "pid (name) state ppid ...": the name may hold spaces and brackets, so what follows begins after the last bracket.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state = '?'] = fields;
  return { name: text.slice(text.indexOf('(') + 1, text.lastIndexOf(')')), state, startedAt: fields[19] ?? '?' };
}

/** A process may end between any two looks, may not be ours to look at, and not every system has /proc. */
function ifThere<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes(codeOf(error))) return undefined;
    throw error;
  }
}

const codeOf = (error: unknown): string =>
  types.isNativeError(error) && 'code' in error ? String(error.code) : 'unknown';
