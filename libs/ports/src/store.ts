import { PlatformError } from '@millrace/kernel';

/**
 * Where the store keeps a message. Places rise in the order of storing, over all runs; what the number itself is, is the
 * adapter's business: compare it, keep it, hand it back.
 */
export type StorePlace = number;

/**
 * How much of a history a read must have seen before it answers. A place: that of an event of this very run, which the
 * reader was told of. `now`: all that was stored when the read began, at the price of one question to the store's leader.
 * A store with one copy has nothing to wait for.
 */
export type AtLeast = StorePlace | 'now';

/** The store did not take or give it in time; nothing is known about the outcome of a write. */
export class StoreUnavailable extends PlatformError {
  readonly code = 'STORE_UNAVAILABLE';
  readonly redelivery = 'retry';
}

/** The store is at its limit: reads go on, writes are refused until there is space. */
export class StoreFull extends PlatformError {
  readonly code = 'STORE_FULL';
  readonly redelivery = 'retry';
}
