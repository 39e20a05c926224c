import type { EventId } from '@millrace/contracts';
import { Clock, EventIds } from '@millrace/ports';
import { randomFillSync } from 'node:crypto';
import { monotonicFactory } from 'ulid';

export class SystemClock extends Clock {
  now(): Date {
    return new Date();
  }
}

export class UlidEventIds extends EventIds {
  readonly #next = monotonicFactory(randomFraction);

  next(): EventId {
    return this.#next() as EventId;
  }
}

const drawn = new Uint8Array(4_096);
let used = drawn.length;

/** From the system's random bytes, many at once: asked for each letter of an id, they cost more than the id's whole request. */
function randomFraction(): number {
  if (used === drawn.length) {
    randomFillSync(drawn);
    used = 0;
  }
  return drawn[used++]! / 256;
}
