import { STREAMS } from '@millrace/adapter-jetstream';
import { cpuMsBetween, machineCpuMs, type ProcessGroups, readCpu } from './process-cpu.js';
import { printTable } from './report.js';
import { countReads, countsBetween, readServerCounts, type ServerCounts } from './server-counts.js';
import type { StackWorld } from './stack-world.js';
import { now } from './stopwatch.js';

/** What a measure took of the machine and of nats-server. */
export interface StackUse {
  /** Of what the figures are told, like `W1 run`. */
  readonly unit: string;
  readonly cpuMs: Readonly<Record<string, number>>;
  /** CPU that processes beside the stack and the benchmark had: with more than a little of it the figures are too high. */
  readonly othersCores: number;
  readonly counts: ServerCounts;
  readonly reads: number;
}

/** Does the work while it is measured, then a part of it again to count reads; both resolve with how many units they did. */
export async function useOf(stack: StackWorld, { unit, work, again }: UseOrder): Promise<StackUse> {
  const groups: ProcessGroups = { ...stack.processes, 'load generator': () => [process.pid] };
  await stack.projected();
  const read = () => ({ at: now(), machineMs: machineCpuMs(), cpu: readCpu(groups) });
  const countsBefore = await readServerCounts(stack.bench.monitorUrl);
  const before = read();
  const units = await work();
  await stack.projected();
  const after = read();
  const counts = countsBetween(countsBefore, await readServerCounts(stack.bench.monitorUrl));
  const used = cpuMsBetween(before.cpu, after.cpu);
  const othersMs = after.machineMs - before.machineMs - sumOf(used);
  let unitsAgain = 0;
  const reads = await countReads(stack.bench.nats, async () => (unitsAgain = await again()));
  return {
    unit,
    cpuMs: Object.fromEntries(Object.entries(used).map(([name, ms]) => [name, ms / units])),
    othersCores: Math.max(othersMs / (after.at - before.at), 0),
    counts: each(counts, units),
    reads: reads / unitsAgain,
  };
}

export interface UseOrder {
  readonly unit: string;
  readonly work: () => Promise<number>;
  readonly again: () => Promise<number>;
}

export function printUse(uses: readonly StackUse[]): void {
  const row = (name: string, of: (use: StackUse) => number) => [name, ...uses.map((use) => of(use).toFixed(2))];
  const head = ['', ...uses.map(({ unit }) => unit)];
  const processes = Object.keys(uses[0]?.cpuMs ?? {});
  printTable('CPU in ms of each process', [
    head,
    ...processes.map((name) => row(name, ({ cpuMs }) => cpuMs[name] ?? 0)),
    row('all', ({ cpuMs }) => sumOf(cpuMs)),
    row('cores others had meanwhile', ({ othersCores }) => othersCores),
  ]);
  const storedIn =
    (...names: string[]) =>
    ({ counts }: StackUse) =>
      names.reduce((sum, name) => sum + (counts.stored.get(name) ?? 0), 0);
  const others = [...(uses[0]?.counts.stored.keys() ?? [])].filter((name) => !LISTED.includes(name));
  printTable('Messages of nats-server; each one that is stored is synced to disk', [
    head,
    row('in', ({ counts }) => counts.messagesIn),
    row('out', ({ counts }) => counts.messagesOut),
    ...LISTED.map((name) => row(`stored in ${name}`, storedIn(name))),
    row('stored in other streams', storedIn(...others)),
    row('reads by direct get', ({ reads }) => reads),
  ]);
}

const LISTED: readonly string[] = [STREAMS.runs, STREAMS.tasks];

const sumOf = (cpuMs: Readonly<Record<string, number>>): number =>
  Object.values(cpuMs).reduce((sum, ms) => sum + ms, 0);

const each = ({ messagesIn, messagesOut, stored }: ServerCounts, units: number): ServerCounts => ({
  messagesIn: messagesIn / units,
  messagesOut: messagesOut / units,
  stored: new Map([...stored].map(([name, count]) => [name, count / units])),
});
