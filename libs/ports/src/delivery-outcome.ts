import { PlatformError } from '@millrace/kernel';
import type { Delivery, DeliveryOptions, HandleDelivery } from './delivery.port.js';
import { type Outcome, park, retryAfter } from './outcome.js';

export const DELIVERY_DEFAULTS: Required<DeliveryOptions> = {
  concurrency: 1,
  maxAttempts: 5,
  retryAfterMs: (attempt) => Math.min(2 ** (attempt - 1) * 200, 30_000),
  onTrouble: () => {},
  onIdle: () => {},
};

export interface JudgedOutcome {
  readonly outcome: Outcome;
  /** What the handler threw, if it did. */
  readonly cause?: unknown;
}

/**
 * Lets the handler have the delivery, and says what becomes of the message: the same in every store.
 *
 * I1  An error decides for itself by its `redelivery`; an unknown one is retried until `maxAttempts`.
 * I2  A message that ended its process each time is not handled again after `maxAttempts`: stores deliver without limit
 *     and we count, so that it cannot vanish unseen.
 */
export const outcomeOf = async <D extends Delivery>(
  delivery: D,
  handle: HandleDelivery<D>,
  { maxAttempts, retryAfterMs }: Pick<Required<DeliveryOptions>, 'maxAttempts' | 'retryAfterMs'>,
): Promise<JudgedOutcome> => {
  const { attempt, isLastAttempt } = delivery;
  if (attempt > maxAttempts) return { outcome: park(`delivered ${attempt} times and never settled`) }; // I2
  try {
    const outcome = await handle(delivery);
    if (outcome.kind !== 'retry' || !isLastAttempt) return { outcome };
    return { outcome: park(`still not done after ${attempt} attempts`) };
  } catch (cause) {
    const isHopeless = cause instanceof PlatformError && cause.redelivery === 'park';
    if (!isHopeless && !isLastAttempt) return { outcome: retryAfter(retryAfterMs(attempt)), cause }; // I1
    return { outcome: park(cause instanceof Error ? cause.message : String(cause)), cause };
  }
};
