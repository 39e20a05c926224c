import type { EventId } from '@millrace/contracts';
import { Clock, EventIds } from '@millrace/ports';
import { monotonicFactory } from 'ulid';

export class SystemClock extends Clock {
  now(): Date {
    return new Date();
  }
}

export class UlidEventIds extends EventIds {
  readonly #next = monotonicFactory();

  next(): EventId {
    return this.#next() as EventId;
  }
}
