import { PlatformError } from '@millrace/kernel';
import type { EventId, RunEvent, RunFact, RunRef } from '@millrace/contracts';
import type { Delivery } from './delivery.port.js';
import type { PlaceIndex } from './place-index.js';
import type { AtLeast, StorePlace } from './store.js';

/** How far a history goes. `position` and `sequence` are -1 and `streamSequence` 0 for a run nobody has requested. */
export interface Tail {
  /** Where the store keeps the run's last event: what the next append is compared with. */
  readonly streamSequence: StorePlace;
  readonly position: number;
  /** The last public event's number, whatever the last event is. */
  readonly sequence: number;
  /** Where the events before the last one lie; not known for a history that was begun without it. */
  readonly places?: PlaceIndex | undefined;
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

export interface ReadOptions {
  /** At most so many events. */
  readonly limit?: number;
  /**
   * A reader that was told of an event names its place: without it a replica that lags may answer from before the
   * event. Rejects with StoreUnavailable when no replica gets there in time.
   */
  readonly atLeast?: AtLeast | undefined;
}

export interface JoinOptions {
  /** At most so many events in the page. */
  readonly limit: number;
  readonly signal?: AbortSignal | undefined;
}

/** A history that was read so far, and is heard from there on. */
export interface JoinedRun {
  readonly page: RunPage;
  /** What lies behind the page and what is appended, as {@link RunLog.follow} gives it; to be called once. */
  readonly follow: () => AsyncIterableIterator<RunEvent>;
  /** Instead of following. */
  readonly leave: () => void;
}

export abstract class RunLog {
  /**
   * Stores the fact while history still ends at `tail`, stamped with the next position and, when it is public, the
   * next sequence; else rejects with {@link RunLogConflict}. A draft whose event is the last one stored already is not
   * stored again: the call resolves with what is there. Rejects with EventInvalid before anything leaves the process.
   */
  abstract append(run: RunRef, draft: EventDraft, tail: Tail): Promise<Appended>;

  /**
   * Events in order, to the end or to `limit`; none for a run that was never requested. Does not scan what lies before.
   * What it gives is the history as it was at some moment; `atLeast` says how recent that moment must be.
   */
  abstract read(run: RunRef, from?: ReadFrom, options?: ReadOptions): Promise<RunPage>;

  /** The event a delivery of the log's brought, and how far the run's history went with it. */
  abstract delivered(delivery: Delivery): Promise<Appended>;

  /** The JSON text the event is stored as, of an event this log gave out and where it keeps texts; else undefined. */
  textOf(_event: RunEvent): string | undefined {
    return undefined;
  }

  abstract tail(run: RunRef, options?: Pick<ReadOptions, 'atLeast'>): Promise<Tail>;

  /**
   * The history from `from` on and then what is appended, for ever: every event once, in order. Ends when `signal`
   * aborts or the reader stops. A lost live message shows as a gap, or in a periodic look at the tail, and is read again.
   */
  abstract follow(run: RunRef, from?: ReadFrom, signal?: AbortSignal): AsyncIterableIterator<RunEvent>;

  /**
   * A page as recent as the call, and then what follows behind it. A store that can listen first and read then needs one
   * look at the history for both; without an event at `from` or before it, the page's tail is empty and says nothing.
   */
  async join(run: RunRef, from: ReadFrom, { limit, signal }: JoinOptions): Promise<JoinedRun> {
    const page = await this.read(run, from, { limit, atLeast: 'now' });
    const start = page.tail.position < 0 ? from : page.tail;
    return { page, follow: () => this.follow(run, start, signal), leave: () => {} };
  }
}

/** Another writer was first: read all there is now, and decide again. */
export class RunLogConflict extends PlatformError {
  readonly code = 'RUN_LOG_CONFLICT';
  readonly redelivery = 'retry';
}
