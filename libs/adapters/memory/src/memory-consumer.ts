import type { StorePlace } from '@millrace/ports';
import type { MemoryTime } from './memory-time.js';
import type { MemoryStream, StoredMessage } from './memory-stream.js';

/** A process that asks for one message. */
export type Taker = (message: StoredMessage, attempt: number) => void;

interface InHand {
  deliveries: number;
  dueAtMs: number;
  /** Takes back that the message is due again. */
  forget: () => void;
}

export interface MemoryConsumerOptions {
  readonly wants: (message: StoredMessage) => boolean;
  readonly ackWaitMs: number;
  /** A work queue keeps no message that is done. */
  readonly isQueue?: boolean;
}

/**
 * A durable consumer, as the server has it: which messages were given out, and when each is due again.
 *
 * I1  A message is given out to one taker at a time; it is due again when its taker says so, or has said nothing for
 *     `ackWaitMs`.
 * I2  What is due again comes before what was never given out.
 * I3  A word about a message counts whoever says it, and however late: as with JetStream.
 */
export class MemoryConsumer {
  readonly #inHand = new Map<StorePlace, InHand>();
  #due: StorePlace[] = [];
  readonly #takers = new Set<Taker>();
  #next = 1;

  constructor(
    private readonly stream: MemoryStream,
    private readonly time: MemoryTime,
    private readonly options: MemoryConsumerOptions,
  ) {
    stream.listen(() => this.giveOut());
  }

  /** Those that are not done: given out, due again, or never given out. */
  get open(): readonly StoredMessage[] {
    return this.stream.messages.filter(
      (message) => this.#inHand.has(message.place) || (message.place >= this.#next && this.options.wants(message)),
    );
  }

  /** Whether there is a message that is not in hand. */
  get hasMore(): boolean {
    if (this.#due.length > 0) return true;
    return this.stream.messages.some((message) => message.place >= this.#next && this.options.wants(message));
  }

  get ackWaitMs(): number {
    return this.options.ackWaitMs;
  }

  /** The answer withdraws the wish. */
  take(taker: Taker): () => void {
    this.#takers.add(taker);
    this.giveOut();
    return () => void this.#takers.delete(taker);
  }

  done(place: StorePlace): void {
    this.#inHand.get(place)?.forget();
    this.#inHand.delete(place);
    this.#due = this.#due.filter((due) => due !== place);
    if (this.options.isQueue) this.stream.remove(place);
  }

  retry(place: StorePlace, afterMs: number): void {
    this.dueIn(place, afterMs);
  }

  /** Its taker lives: I1. Only a heartbeat, so nothing is to come of it. */
  working(place: StorePlace): void {
    if (!this.#due.includes(place)) this.dueIn(place, this.options.ackWaitMs, 'background');
  }

  /** Its taker says nothing more: then time moves on until the message is due again, if for nothing else. */
  abandon(place: StorePlace): void {
    const inHand = this.#inHand.get(place);
    if (inHand && !this.#due.includes(place)) this.dueIn(place, inHand.dueAtMs - this.time.nowMs());
  }

  private giveOut(): void {
    for (const taker of this.#takers) {
      const message = this.nextMessage();
      if (!message) return;
      this.#takers.delete(taker);
      const deliveries = (this.#inHand.get(message.place)?.deliveries ?? 0) + 1;
      this.#inHand.set(message.place, { deliveries, dueAtMs: 0, forget: () => {} });
      this.working(message.place);
      taker(message, deliveries);
    }
  }

  private nextMessage(): StoredMessage | undefined {
    for (let place = this.#due.shift(); place !== undefined; place = this.#due.shift()) {
      const again = this.#inHand.has(place) ? this.stream.at(place) : undefined; // it may have been done meanwhile
      if (again) return again; // I2
    }
    while (this.#next <= this.stream.lastPlace) {
      const message = this.stream.at(this.#next);
      this.#next += 1;
      if (message && this.options.wants(message)) return message;
    }
    return undefined;
  }

  private dueIn(place: StorePlace, afterMs: number, background?: 'background'): void {
    const inHand = this.#inHand.get(place);
    if (!inHand) return;
    inHand.forget();
    inHand.dueAtMs = this.time.nowMs() + afterMs;
    inHand.forget = this.time.at(inHand.dueAtMs, () => this.becomeDue(place), background);
  }

  private becomeDue(place: StorePlace): void {
    if (!this.#inHand.has(place) || this.#due.includes(place)) return;
    this.#due.push(place);
    this.giveOut();
  }
}
