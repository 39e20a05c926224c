import { z } from 'zod';
import { Name, RunId, ThreadId } from '../ids.js';
import { RunStatus } from '../run-status.js';
import { PrintableName } from './names.http.js';
import { RunView } from './native.http.js';
import { queryNumber } from './query-number.js';

/** What a database cannot look for. */
const NUL = '\0';
const isText = (text: string): boolean => !text.includes(NUL);
const LAST_MOMENT = Date.parse('9999-12-31T23:59:59.999Z');
const moment = z.iso
  .datetime({ offset: true, abort: true, error: 'must be a time like 2026-01-31T12:00:00Z' })
  .refine((text) => Date.parse(text) >= 0, 'must not be before 1970')
  // An offset may lead into the next year, and what comes after 9999 has a spelling of its own that databases do not read.
  .refine((text) => Date.parse(text) <= LAST_MOMENT, 'must not be after the year 9999, in UTC')
  .overwrite((text) => new Date(text).toISOString());

/** Which runs to list; all that are given must hold. */
export const RunsQuery = z.strictObject({
  status: RunStatus.optional(),
  agent: PrintableName.optional(),
  threadId: ThreadId.optional(),
  userId: z.string().min(1).max(256).refine(isText, 'must not contain NUL').optional(),
  projectId: PrintableName.optional(),
  createdFrom: moment.optional().meta({ description: 'Inclusive.' }),
  createdBefore: moment.optional().meta({ description: 'Exclusive.' }),
  limit: queryNumber(1, 200, 50),
  cursor: z.string().min(1).max(500).optional().meta({ description: 'The nextCursor of the page before.' }),
});
export type RunsQuery = z.infer<typeof RunsQuery>;

/** A run in a list. */
export const RunSummary = RunView.extend({
  agent: Name,
  appId: Name,
  createdAt: z.iso.datetime(),
  userId: z.string(),
  threadId: ThreadId.optional(),
  projectId: z.string().optional(),
  retryOf: RunId.optional(),
  /** The beginning of what it was asked for. */
  inputSummary: z.string(),
  /** What it says it has done. */
  summary: z.string().optional(),
  error: z.object({ code: z.string(), reason: z.string() }).optional(),
});
export type RunSummary = z.infer<typeof RunSummary>;

/** The newest first. Without a `nextCursor` it is the last page. */
export const RunsPage = z.object({ runs: z.array(RunSummary), nextCursor: z.string().optional() });
export type RunsPage = z.infer<typeof RunsPage>;
