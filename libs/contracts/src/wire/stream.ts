import { z } from 'zod';
import { isPublic } from '../classification.js';
import { isRunEventKind, RUN_EVENT_KINDS } from '../kinds.js';
import type { RunEventKind } from '../events/run-event.js';
import { PrintableName } from '../http/names.http.js';
import { CLOSING_CODES } from './public-event.js';

const Sequence = z
  .string()
  .regex(/^\d{1,15}$/, 'must be the number of an event: 0 or more')
  .transform(Number);

/** What every route that streams one run takes. */
export const StreamQuery = z.object({
  /** The first event wanted. */
  fromSeq: Sequence.optional(),
  ticket: z.string().min(1).max(4_096).optional(),
});
export type StreamQuery = z.infer<typeof StreamQuery>;

/** The last event a client has; a browser sends it by itself, and empty when it has none. */
export const LastEventId = Sequence.or(z.literal('').transform(() => undefined)).optional();

/** Of a feed over many runs: opaque, and good for the tenant it was made for. */
export const FeedCursor = z.string().regex(/^[\w-]{1,200}$/, 'must be the id of an event of this feed');

const PUBLIC_KINDS = RUN_EVENT_KINDS.filter((kind) => isPublic({ kind }));

export const FeedQuery = z.object({
  /** Separated by commas; all public ones when it is left out. */
  kinds: z
    .string()
    .transform((text, context): RunEventKind[] => {
      const kinds = [...new Set(text.split(',').map((kind) => kind.trim()))];
      const unknown = kinds.filter((kind) => !isRunEventKind(kind) || !isPublic({ kind }));
      if (unknown.length === 0) return kinds.filter(isRunEventKind);
      context.addIssue({
        code: 'custom',
        message: `no kind clients see: ${unknown.map((kind) => JSON.stringify(kind.slice(0, 60))).join(', ')}`,
      });
      return z.NEVER;
    })
    .default(PUBLIC_KINDS),
  agent: PrintableName.optional(),
  /** Where to begin: after an id of this feed, at the log's `start`, or, when it is left out, from `now` on. */
  after: FeedCursor.or(z.enum(['start', 'now'])).optional(),
});
export type FeedQuery = z.infer<typeof FeedQuery>;

/**
 * Sent as `event: closing`, in every dialect, without an id: it is no event of the run. `cursor` is the last event that
 * was sent, to be given back as `Last-Event-ID`; null when there was none.
 */
export const StreamClosing = z.object({ code: z.enum(CLOSING_CODES), cursor: z.string().nullable() });
export type StreamClosing = z.infer<typeof StreamClosing>;
