import { plainGraph } from './plain-graphs.js';
import { type Goal, type Measure, oursAtMost, print } from './report.js';
import { type StackUse, useOf } from './stack-use.js';
import type { StackWorld } from './stack-world.js';
import { inTurn, timed } from './stopwatch.js';

/** Of a chain, of a loop, and branches of a fan. */
const STEPS = 100;
const ROUNDS = 7;
const CHAINS = 10;

/** W3: what one step costs, from the POST to the terminal frame, so that a hundredth of what a run costs is in it. */
export async function benchSteps(stack: StackWorld): Promise<StackUse[]> {
  print('W3: steps of one run, the run itself included; raw: plain LangGraph in one process, nothing stored', [
    await perStep(stack, 'chain', `a step of a chain of ${STEPS} nodes`, oursAtMost(2.3)),
    await perStep(stack, 'loop', `a step of a loop of one node`),
    await perStep(stack, 'fan', `a branch of a step of ${STEPS} nodes`),
  ]);
  const chains = (count: number) => async () => {
    for (let at = 0; at < count; at += 1) await stack.client.play('chain', {});
    return count * STEPS;
  };
  return [await useOf(stack, { unit: 'W3 step', work: chains(CHAINS), again: chains(1) })];
}

async function perStep(
  stack: StackWorld,
  agent: 'chain' | 'loop' | 'fan',
  name: string,
  goal?: Goal,
): Promise<Measure> {
  const plain = await plainGraph(agent);
  const input = agent === 'loop' ? { steps: STEPS, count: 0 } : {};
  const both = await inTurn(
    ROUNDS,
    async () => (await stack.client.play(agent, input)) / STEPS,
    async () => (await timed(() => plain.invoke(input, { recursionLimit: 10 * STEPS }))) / STEPS,
  );
  return { name, unit: 'ms', ...both, ...(goal && { goal }) };
}
