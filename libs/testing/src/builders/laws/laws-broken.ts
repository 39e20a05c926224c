import type { RunEvent } from '@millrace/contracts';
import type { Law } from './law.js';
import { RUN_LAWS } from './run.laws.js';
import { TASK_LAWS } from './task.laws.js';

export const LAWS: readonly Law[] = [...RUN_LAWS, ...TASK_LAWS];

/** Which of the laws the history of one run breaks, in words. For every log a test can read, from wherever it comes. */
export const lawsBroken = (events: readonly RunEvent[]): string[] =>
  LAWS.filter(({ holds }) => !holds(events)).map(({ says }) => says);
