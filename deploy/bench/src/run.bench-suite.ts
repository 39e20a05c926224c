import { benchIdle } from './idle.bench-part.js';
import { benchReaders } from './readers.bench-part.js';
import { benchShortRuns } from './short-runs.bench-part.js';
import { printUse, type StackUse } from './stack-use.js';
import { StackWorld } from './stack-world.js';
import { benchSteps } from './steps.bench-part.js';
import { benchTakeover } from './takeover.bench-part.js';
import { benchTokens } from './tokens.bench-part.js';

/** Each measures one thing on a stack that runs, prints it, and may say what it took. */
const PARTS = {
  w1: benchShortRuns,
  w3: benchSteps,
  tokens: benchTokens,
  w5: benchReaders,
  idle: benchIdle,
  takeover: benchTakeover, // last: the stack has one worker afterwards
} satisfies Record<string, (stack: StackWorld) => Promise<readonly StackUse[] | void>>;

type Part = keyof typeof PARTS;
/** In their order. */
export const RUN_PARTS = Object.keys(PARTS) as Part[];
export const isRunPart = (name: string): name is Part => Object.hasOwn(PARTS, name);

/** Whole runs through the whole platform, every append synced; all parts, or those that are named, on one stack. */
export async function benchRun(names: readonly Part[] = RUN_PARTS): Promise<void> {
  const stack = await StackWorld.open();
  try {
    const uses: StackUse[] = [];
    for (const name of RUN_PARTS.filter((part) => names.includes(part)))
      uses.push(...((await PARTS[name](stack)) ?? []));
    if (uses.length > 0) printUse(uses);
  } finally {
    await stack.close();
  }
}
