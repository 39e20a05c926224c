import { EventId } from '@millrace/contracts';
import { Clock, EventIds } from '@millrace/ports';
import type { MemoryTime } from './memory-time.js';
import { VIRTUAL_START_MS } from './virtual-time.js';

interface Pending {
  readonly dueAtMs: number;
  readonly what: () => void;
}

/** Time that passes only when it is told to; what is due then happens at once, in its order. */
export class ManualClock extends Clock implements MemoryTime {
  readonly #pending = new Set<Pending>();

  constructor(private time = VIRTUAL_START_MS) {
    super();
  }

  now(): Date {
    return new Date(this.time);
  }

  nowMs(): number {
    return this.time;
  }

  at(dueAtMs: number, what: () => void): () => void {
    const pending = { dueAtMs, what };
    this.#pending.add(pending);
    if (dueAtMs <= this.time) queueMicrotask(() => this.ring(pending));
    return () => void this.#pending.delete(pending);
  }

  advance(byMs: number): void {
    const end = this.time + byMs;
    for (let next = this.nextBy(end); next; next = this.nextBy(end)) {
      this.time = Math.max(next.dueAtMs, this.time);
      this.ring(next);
    }
    this.time = end;
  }

  private nextBy(end: number): Pending | undefined {
    let next: Pending | undefined;
    for (const pending of this.#pending) {
      if (pending.dueAtMs <= end && (!next || pending.dueAtMs < next.dueAtMs)) next = pending;
    }
    return next;
  }

  private ring(pending: Pending): void {
    if (this.#pending.delete(pending)) pending.what();
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
