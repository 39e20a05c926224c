import type { RunEvent, RunEventKind, TenantId } from '@millrace/contracts';

export interface FeedWanted {
  readonly tenantId: TenantId;
  /** Which kinds; at least one. */
  readonly kinds: readonly RunEventKind[];
}

export interface FeedEvent {
  readonly event: RunEvent;
  readonly streamSequence: number;
}

/** What cannot be read and never will be: the feed goes on behind it. */
export interface UnreadableEvent {
  readonly subject: string;
  readonly streamSequence: number;
  readonly error: unknown;
}

export interface FeedPage {
  /** In the order they were stored. */
  readonly events: readonly FeedEvent[];
  /** What was wanted and is no event. */
  readonly unreadable: readonly UnreadableEvent[];
  /** Everything that was wanted lies behind it or was given: where the next page begins. */
  readonly upTo: number;
  /** True when the page ended at its limit. */
  readonly hasMore: boolean;
}

/** A tenant's events of some kinds, over all of its runs, in the order they were stored. */
export abstract class TenantFeed {
  /** A place behind which nothing of the tenant lies now: a feed that begins there has only what is stored from now on. */
  abstract end(tenantId: TenantId): Promise<number>;

  /** What lies behind `after`, none left out, up to `limit` of them. */
  abstract page(wanted: FeedWanted, after: number, limit: number): Promise<FeedPage>;

  /**
   * Rings when something that is wanted was stored, and now and then in case a ring was lost. Whatever is stored after
   * it has resolved rings; the answer ends it.
   */
  abstract listen(wanted: FeedWanted, ring: () => void): Promise<() => void>;
}
