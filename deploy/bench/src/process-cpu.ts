import { childrenOf } from '@millrace/local-servers';
import { readdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';

/** Names a part of the stack and says which processes it consists of now. */
export type ProcessGroups = Readonly<Record<string, () => readonly number[]>>;

/** For each group what every thread has used so far, in ns, by `pid/tid`. */
export type CpuReading = ReadonlyMap<string, ReadonlyMap<string, number>>;

export function readCpu(groups: ProcessGroups): CpuReading {
  const ofGroup = (pids: readonly number[]) => new Map(pids.flatMap(threadsOf));
  return new Map(Object.entries(groups).map(([name, pids]) => [name, ofGroup(pids())]));
}

/** CPU in ms between two readings. What a thread used that has ended in between is not known and not counted. */
export const cpuMsBetween = (before: CpuReading, after: CpuReading): Record<string, number> =>
  Object.fromEntries(
    [...after].map(([name, threads]) => {
      const used = [...threads].map(([thread, ns]) => ns - (before.get(name)?.get(thread) ?? 0));
      return [name, used.reduce((sum, ns) => sum + ns, 0) / 1e6];
    }),
  );

/** What all processes of the machine have used since it started, in ms. */
export const machineCpuMs = (): number =>
  cpus().reduce((sum, { times: { user, nice, sys, irq } }) => sum + user + nice + sys + irq, 0);

/** PostgreSQL works in the children of the process that was started. */
export const withChildren = (pid: number): number[] => [pid, ...childrenOf(pid)];

function threadsOf(pid: number): [string, number][] {
  return ifThere(() => readdirSync(`/proc/${pid}/task`), []).flatMap((tid) => {
    const [runningNs] = ifThere(() => readFileSync(`/proc/${pid}/task/${tid}/schedstat`, 'utf8'), '').split(' ');
    return runningNs ? [[`${pid}/${tid}`, Number(runningNs)] satisfies [string, number]] : [];
  });
}

/** A thread or a process may end between two looks. */
function ifThere<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH'))
      return otherwise;
    throw error;
  }
}
