import { EventId } from '@millrace/contracts';
import { Clock, EventIds } from '@millrace/ports';

/** Time that passes only when it is told to. */
export class ManualClock extends Clock {
  constructor(private time = Date.parse('2026-01-12T10:00:00.000Z')) {
    super();
  }

  now(): Date {
    return new Date(this.time);
  }

  advance(byMs: number): void {
    this.time += byMs;
  }
}

/** Ids that count up, so that a failing test shows the same ones every time. */
export class CountingEventIds extends EventIds {
  #count = 0;

  constructor(private readonly prefix = '01JD') {
    super();
  }

  next(): EventId {
    this.#count += 1;
    return EventId.parse(this.prefix + String(this.#count).padStart(26 - this.prefix.length, '0'));
  }
}
