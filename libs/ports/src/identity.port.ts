import type { EventId } from '@millrace/contracts';

/** Time and identity come from outside, so that decisions stay pure and tests stay fixed. */
export abstract class Clock {
  abstract now(): Date;
}

export abstract class EventIds {
  /** Unique, and rising within one process. */
  abstract next(): EventId;
}
