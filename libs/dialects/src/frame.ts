import { isPublic, type PublicEvent, type RunEvent } from '@millrace/contracts';

/** One SSE message: its `event:`, when the dialect names them, and what its `data:` says. */
export interface Frame {
  readonly event?: string;
  readonly data: unknown;
}

/**
 * A function of the event alone. So a client that comes back, to another process or in the middle of a run, is told
 * the same as one that stayed. An event may give none, one or several frames; a cursor never lies between those.
 */
export type Dialect = (event: PublicEvent) => readonly Frame[];

/** Asked of the event itself, wherever it comes from: what is internal has no frames in any dialect. */
export const isShown = (event: RunEvent): event is PublicEvent =>
  isPublic(event) && 'sequence' in event && event.sequence !== undefined;
