/** At most one process at a time does a thing; another goes on with it within seconds when that one is gone. */
export abstract class Leases {
  /** Waits until nobody else holds the lease; undefined when `signal` aborted first. */
  abstract acquire(name: string, signal: AbortSignal): Promise<HeldLease | undefined>;
}

export interface HeldLease {
  /** Aborts when the lease is, or may be, somebody else's. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
}

/** The last known fold of something long, so that whoever takes over need not read from the beginning. */
export abstract class Snapshots {
  abstract load(name: string): Promise<unknown>;
  abstract save(name: string, value: unknown): Promise<void>;
}
