import { isTerminal, type RunEvent, type RunRef } from '@millrace/contracts';
import { print } from './report.js';
import type { StackWorld } from './stack-world.js';
import { now } from './stopwatch.js';

/** After so long without a word of its worker the server gives a task to another (ACK_WAIT_MS of the topology). */
const ACK_WAIT_MS = 6_000;

/** From the kill of a worker to the next start of the node it ran, on a worker that is already there. */
export async function benchTakeover(stack: StackWorld): Promise<void> {
  const input = { steps: 1, count: 0, pauseMs: 20_000 };
  const run = stack.refOf(await stack.client.request('loop', input));
  await until(stack, run, ({ kind }) => kind === 'NodeStarted');
  await stack.replaceWorkers();
  const killedAt = now();
  await until(stack, run, (event) => event.kind === 'NodeStarted' && event.attempt === 2);
  print('A worker killed with -9; raw: how long the server waits for a worker to speak', [
    { name: 'until its node is started again', unit: 'ms', ours: now() - killedAt, raw: ACK_WAIT_MS },
  ]);
}

async function until({ bench }: StackWorld, run: RunRef, isSo: (event: RunEvent) => boolean): Promise<void> {
  for await (const event of bench.log.follow(run)) {
    if (isSo(event)) return;
    if (isTerminal(event)) throw new Error(`Run ${run.runId} ended before: ${event.kind}`);
  }
}
