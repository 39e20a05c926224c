import { setTimeout as pause } from 'node:timers/promises';
import { cpuMsBetween, readCpu } from './process-cpu.js';
import { oursAtMost, print } from './report.js';
import type { StackWorld } from './stack-world.js';

const CALM_MS = 2_000;
const IDLE_MS = 10_000;

/** What the platform takes of the machine while no request comes. */
export async function benchIdle(stack: StackWorld): Promise<void> {
  await stack.projected();
  await pause(CALM_MS);
  const before = readCpu(stack.processes);
  await pause(IDLE_MS);
  const cores = Object.entries(cpuMsBetween(before, readCpu(stack.processes))).map(([name, ms]) => ({
    ...{ name: `  ${name}`, unit: 'cores', ours: ms / IDLE_MS },
  }));
  const all = cores.reduce((sum, { ours }) => sum + ours, 0);
  print('CPU while nothing happens', [
    { name: 'the whole stack', unit: 'cores', ours: all, goal: oursAtMost(0.05) },
    ...cores,
  ]);
}
