import type { Run, RunCommand } from '@millrace/run-domain';
import type { Dice } from './dice.js';

/**
 * What somebody may order who knows the run as `run`. Mostly what makes sense, so that histories grow deep, and now
 * and then what does not, or no longer: it must be refused or change nothing.
 */
export type Mind = (run: Run, dice: Dice) => RunCommand;

/** The tasks of the graph that is played: one, then two side by side, then one more. */
export const PLAYED_TASKS = ['1/plan', '2/write[0]', '2/write[1]', '3/review'] as const;
