import { PlatformError } from '@millrace/kernel';
import type { EventId, RunEvent, RunFact, RunRef } from '@millrace/contracts';

/** How far a history goes. `position` and `sequence` are -1 and `streamSequence` 0 for a run nobody has requested. */
export interface Tail {
  /** Where the store keeps the run's last event: what the next append is compared with. */
  readonly streamSequence: number;
  readonly position: number;
  /** The last public event's number, whatever the last event is. */
  readonly sequence: number;
}

export const EMPTY_TAIL: Tail = { streamSequence: 0, position: -1, sequence: -1 };

/** A fact with identity and time; the append adds the order. */
export type EventDraft = RunFact & { readonly eventId: EventId; readonly ts: string };

export interface Appended {
  readonly event: RunEvent;
  readonly tail: Tail;
}

/** Where reading begins: after a tail one already has, or at (inclusive) a position or a public sequence. */
export type ReadFrom = Tail | { readonly position: number } | { readonly sequence: number };

export interface RunPage {
  readonly events: RunEvent[];
  /** After the last event of the page: where the next page begins. */
  readonly tail: Tail;
  /** True when the page ended at its limit and not at the end of the history. */
  readonly hasMore: boolean;
}

export abstract class RunLog {
  /**
   * Stores the fact while history still ends at `tail`, stamped with the next position and, when it is public, the
   * next sequence; else rejects with {@link RunLogConflict}. A draft whose event is the last one stored already is not
   * stored again: the call resolves with what is there. Rejects with EventInvalid before anything leaves the process.
   */
  abstract append(run: RunRef, draft: EventDraft, tail: Tail): Promise<Appended>;

  /** Events in order, to the end or to `limit`; none for a run nobody has requested. Does not scan what lies before. */
  abstract read(run: RunRef, from?: ReadFrom, limit?: number): Promise<RunPage>;

  abstract tail(run: RunRef): Promise<Tail>;

  /**
   * The history from `from` on and then what is appended, for ever: every event once, in order. Ends when `signal`
   * aborts or the reader stops. A lost live message shows as a gap, or in a periodic look at the tail, and is read again.
   */
  abstract follow(run: RunRef, from?: ReadFrom, signal?: AbortSignal): AsyncIterableIterator<RunEvent>;
}

/** Somebody else wrote first: read what you missed and decide again. */
export class RunLogConflict extends PlatformError {
  readonly code = 'RUN_LOG_CONFLICT';
  readonly redelivery = 'retry';
}

/** The store did not take or give it; nothing is known about the outcome of an append. */
export class RunLogUnavailable extends PlatformError {
  readonly code = 'RUN_LOG_UNAVAILABLE';
  readonly redelivery = 'retry';
}

/** The store is at its limit: reads go on, appends are refused until there is space. */
export class RunLogFull extends PlatformError {
  readonly code = 'RUN_LOG_FULL';
  readonly redelivery = 'retry';
}
