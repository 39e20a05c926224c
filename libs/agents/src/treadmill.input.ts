import { z } from 'zod';

/** Far more than one machine does in an hour, and short of what a slip of the finger asks for. */
const MOST = { steps: 100_000, parallel: 1_000, tokens: 1_000_000, bytes: 16 * 1024 * 1024 };

/** How much work a run is. Strict: an option nobody knows would make a load test measure something else. */
export const TreadmillInput = z
  .strictObject({
    steps: z.int().positive().max(MOST.steps),
    /** Each step runs on so many workers at once, and a join follows it. */
    parallel: z.int().positive().max(MOST.parallel).default(1),
    tokensPerStep: z.int().nonnegative().max(MOST.tokens).default(0),
    /** 0 is as fast as it goes. */
    tokensPerSecond: z.number().nonnegative().default(0),
    /** What every step leaves in the state; the next one writes over it. */
    bytesPerStep: z.int().nonnegative().max(MOST.bytes).default(0),
    /** The step that fails, counted from 1, in each of its branches. */
    failAtStep: z.int().positive().optional(),
    /** On its first so many attempts. */
    failTimes: z.int().positive().optional(),
    /** The step that waits for a person, in each of its branches. */
    askAtStep: z.int().positive().optional(),
    /** Where each step notes that it was done: a file in the folder its worker allows. */
    ledgerFile: z.string().min(1).optional(),
  })
  .superRefine(({ steps, failAtStep, failTimes, askAtStep }, context) => {
    const complain = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
    if (failAtStep !== undefined && failAtStep > steps) complain('failAtStep', `there are only ${steps} steps`);
    if (askAtStep !== undefined && askAtStep > steps) complain('askAtStep', `there are only ${steps} steps`);
    if (failTimes !== undefined && failAtStep === undefined) complain('failTimes', 'needs failAtStep');
  });
export type TreadmillInput = z.infer<typeof TreadmillInput>;
