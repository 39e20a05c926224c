import type { Msg, MsgHdrs } from '@nats-io/nats-core';

/** What the server says of a delivery, in the subject it wants the answer on. */
interface DeliveryFacts {
  readonly deliveryCount: number;
  readonly streamSequence: number;
  /** How many messages of the consumer waited for a taker when this one was delivered. */
  readonly waiting: number;
}

/** A message of a pull consumer. The client library makes one only inside consumers of its own. */
export class PulledMessage {
  readonly facts: DeliveryFacts;

  constructor(private readonly message: Msg) {
    this.facts = factsIn(message.reply ?? '');
  }

  get subject(): string {
    return this.message.subject;
  }
  get data(): Uint8Array {
    return this.message.data;
  }
  get headers(): MsgHdrs | undefined {
    return this.message.headers;
  }

  ack(): void {
    this.message.respond('+ACK');
  }

  nak(afterMs = 0): void {
    this.message.respond(
      afterMs > 0 ? `-NAK ${JSON.stringify({ delay: Math.round(afterMs * NANOS_PER_MS) })}` : '-NAK',
    );
  }

  term(reason: string): void {
    this.message.respond(reason === '' ? '+TERM' : `+TERM ${reason}`);
  }

  working(): void {
    this.message.respond('+WPI');
  }
}

const NANOS_PER_MS = 1_000_000;

/**
 * `$JS.ACK.<stream>.<consumer>.<delivered>.<stream sequence>.<consumer sequence>.<time>.<pending>`; servers that were
 * told to also put domain and account hash before the stream, and may put a token of their own at the end.
 */
const factsIn = (reply: string): DeliveryFacts => {
  const tokens = reply.split('.');
  const at = tokens.length > SHORT ? 6 : 4;
  const [deliveryCount, streamSequence, , , waiting] = tokens.slice(at).map(Number);
  if (deliveryCount === undefined || streamSequence === undefined || waiting === undefined) {
    throw new TypeError(`${reply} is not where a delivery is answered`);
  }
  return { deliveryCount, streamSequence, waiting };
};

const SHORT = 9;
