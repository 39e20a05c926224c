import type { RunEvent, RunEventKind, ThreadEvent } from '@millrace/contracts';

/** What lies at one place of the store; `invalid` says why it is no event we can read, so that it can be set aside. */
export type StoredEvent = StoredPlace &
  ({ readonly event: RunEvent | ThreadEvent } | { readonly subject: string; readonly invalid: string });

export interface StoredPlace {
  readonly streamSequence: number;
  /** By the store's own clock. */
  readonly storedAt: string;
}

export interface FeedStart {
  readonly afterStreamSequence: number;
  /** Kinds the reader has no use for; the store does not send them. */
  readonly exclude?: readonly RunEventKind[];
  readonly signal: AbortSignal;
  readonly maxBatch?: number;
}

export interface FeedBacklog {
  readonly count: number;
  /** Undefined when there is none. */
  readonly oldest: StoredPlace | undefined;
}

/** The events of all tenants, runs and threads in the order they were stored. */
export abstract class EventFeed {
  /** What is there, then what comes, in batches of what has piled up; never an empty one. Ends when `signal` aborts. */
  abstract batches(from: FeedStart): AsyncIterable<readonly StoredEvent[]>;
  /** How many of them there are by now, and where the first one lies. */
  abstract backlog(from: Pick<FeedStart, 'afterStreamSequence' | 'exclude'>): Promise<FeedBacklog>;
}
