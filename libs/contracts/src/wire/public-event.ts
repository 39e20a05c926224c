import type { RunEvent } from '../events/run-event.js';

/** An event a client may see: it has its place among those. */
export type PublicEvent = RunEvent & { readonly sequence: number };

/**
 * Deltas next to each other in the log that were sent as one to a reader that lagged. It is the last of them, with the
 * text of all; `fromSequence` is the first one's number, so that whoever looks for gaps finds none.
 */
export type MergedDelta = Extract<PublicEvent, { kind: 'TokenDelta' | 'ThoughtDelta' }> & {
  readonly fromSequence?: number;
};

/** The number after which the event may follow without a gap. */
export const firstSequenceOf = (event: PublicEvent): number =>
  'fromSequence' in event && typeof event.fromSequence === 'number' ? event.fromSequence : event.sequence;

/** Why the gateway ends a stream before the run has ended. */
export const CLOSING_CODES = [
  'TOKEN_EXPIRED',
  'SHUTTING_DOWN',
  'TOO_SLOW',
  'LOG_UNAVAILABLE',
  'EVENT_INVALID',
] as const;

/** The name of the frame that says so. */
export const CLOSING_EVENT = 'closing';
