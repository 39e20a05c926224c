import type { Outcome } from './outcome.js';
import type { StorePlace } from './store.js';

/** The durable consumers there are: each message reaches one process of those that take from the same one. */
export const CONSUMERS = ['orchestrator', 'orchestrator-timers', 'run-api-retries', 'node-workers'] as const;
export type ConsumerName = (typeof CONSUMERS)[number];

/** One message on its way to a handler. */
export interface Delivery {
  readonly subject: string;
  readonly data: Uint8Array;
  /** In the stream the message lies in; for a stored event, that of the event. */
  readonly place: StorePlace;
  /** 1 for the first time. */
  readonly attempt: number;
  readonly isLastAttempt: boolean;
  /** Whether this process has stood still since, so long that the message may have been given to another. */
  readonly hasStalled: () => boolean;
  /** Whether others wait for a free slot, as far as this process knows. */
  readonly othersWait: () => boolean;
}

export type HandleDelivery<D extends Delivery = Delivery> = (delivery: D) => Promise<Outcome>;

export interface DeliveryOptions {
  /** How many messages are handled at the same time. */
  readonly concurrency?: number;
  /** After so many deliveries a message that still fails is parked. */
  readonly maxAttempts?: number;
  readonly retryAfterMs?: (attempt: number) => number;
  /** Told of every message that was not done, with the reason; of one that is parked once its dead letter is stored. */
  readonly onTrouble?: (delivery: Delivery, outcome: Outcome, cause?: unknown) => void;
  /** Told when the store gives no messages, e.g. because it is away; the consumer asks again by itself. */
  readonly onIdle?: (cause: unknown) => void;
}

export interface Consuming {
  /** Takes no more messages and waits for those in hand; what is not done in time is delivered again elsewhere. */
  close(graceMs: number): Promise<void>;
}

/**
 * Messages of the durable consumers.
 *
 * I1  Every message ends in one of three ways: done, retried later, or parked as a dead letter; an error decides for
 *     itself by its `redelivery`, and an unknown one is retried until `maxAttempts`.
 * I2  A message whose process is gone, or left it alone, is delivered again, to any process of the same consumer.
 */
export abstract class Deliveries {
  abstract consume(consumer: ConsumerName, handle: HandleDelivery, options?: DeliveryOptions): Promise<Consuming>;
}
