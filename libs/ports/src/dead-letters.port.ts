import type { StorePlace } from './store.js';

/** What could not be handled: what it was, which part of the platform set it aside, and why. */
export interface DeadLetter {
  /** Its place among the dead letters. */
  readonly id: StorePlace;
  /** A consumer, or a loop that is fed otherwise: `dispatcher`, `projector`, … */
  readonly consumer: string;
  readonly reason: string;
  readonly attempts: number;
  /** Of the message, or of the event that led to it. */
  readonly subject: string;
  readonly stream: string;
  /** 0 when it is not known which message of the subject it was. */
  readonly streamSequence: StorePlace;
  readonly data: Uint8Array;
}

export abstract class DeadLetters {
  /** Stores it once, however often it is called for the same place (or subject) of the same stream by the same consumer. */
  abstract add(letter: Omit<DeadLetter, 'id'>): Promise<void>;
  /** Oldest first; the next page begins after the last one's id. */
  abstract list(limit: number, afterId?: StorePlace): Promise<DeadLetter[]>;
}
