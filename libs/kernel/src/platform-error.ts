/** What becomes of a message whose handling failed: delivered again, or set aside for a person. */
export type Redelivery = 'retry' | 'park';

/** An error we understand. Logs, metrics and clients match on `code`, which never changes; never on the message. */
export abstract class PlatformError extends Error {
  abstract readonly code: string;
  abstract readonly redelivery: Redelivery;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}
