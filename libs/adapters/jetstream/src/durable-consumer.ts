import { assertNever } from '@millrace/kernel';
import {
  type Delivery,
  DELIVERY_DEFAULTS,
  type DeliveryOptions,
  type HandleDelivery,
  type Outcome,
  outcomeOf,
  retryAfter,
} from '@millrace/ports';
import { type Consumer, jetstream } from '@nats-io/jetstream';
import { millis, type MsgHdrs, type NatsConnection } from '@nats-io/nats-core';
import { JetStreamDeadLetters } from './dead-letters.js';
import type { PulledMessage } from './pulled-message.js';
import { StallWatch } from './stall-watch.js';
import { StandingDemand } from './standing-demand.js';
import type { StreamName } from './topology.js';
import { WaitingCount } from './waiting-count.js';

/** A delivery with the headers it came with: the trace of its writer is among them. */
export interface JetStreamDelivery extends Delivery {
  readonly headers: MsgHdrs | undefined;
}

export interface ConsumerOptions extends DeliveryOptions {
  readonly stream: StreamName;
  /** A consumer the topology declares. */
  readonly durable: string;
}

type Handle = HandleDelivery<JetStreamDelivery>;

/**
 * I1  Every message ends in one of three ways: done (acknowledged), retried later, or parked.
 * I2  A message is parked only once its dead letter is stored; a crash between the two stores it again, once.
 * I3  While a handler works the server is told so, and gives the message to nobody else.
 * I4  A process that stood still (stopped, starved, a laptop's lid) settles nothing it was given before or meanwhile:
 *     the server took it for dead and gave the message on, and a late word would take it from whoever has it now.
 */
export class DurableConsumer {
  readonly #inHand = new Set<Promise<void>>();
  readonly #heartbeatMs: number;
  readonly #stalls: StallWatch;
  readonly #demand: StandingDemand;
  readonly #waiting: WaitingCount;

  private constructor(
    private readonly nats: NatsConnection,
    private readonly options: Required<ConsumerOptions>,
    consumer: Consumer,
    ackWaitMs: number,
    private readonly deadLetters: JetStreamDeadLetters,
    private readonly handle: Handle,
  ) {
    const { stream, durable, concurrency: slots, onIdle } = options;
    this.#heartbeatMs = Math.max(ackWaitMs / 3, 50);
    this.#waiting = new WaitingCount(consumer, onIdle);
    this.#stalls = new StallWatch(Math.max(ackWaitMs / 2, 1_000), () => this.#demand.forget()); // I4
    this.#demand = new StandingDemand(nats, {
      ...{ stream, durable, slots, onIdle },
      begin: (message) => this.begin(message),
      giveBack: (message) => {
        if (!this.#stalls.isStalled()) message.nak(); // I4
      },
    });
  }

  static async open(nats: NatsConnection, options: ConsumerOptions, handle: Handle): Promise<DurableConsumer> {
    const all = { ...DELIVERY_DEFAULTS, ...options };
    const consumer = await jetstream(nats).consumers.get(all.stream, all.durable);
    const { config } = await consumer.info(true);
    const ackWaitMs = millis(config.ack_wait ?? 0);
    return new DurableConsumer(nats, all, consumer, ackWaitMs, new JetStreamDeadLetters(nats), handle);
  }

  /** Takes no more messages and waits for those in hand; what is not done in time is delivered again elsewhere. */
  async close(graceMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const grace = new Promise<void>((resolve) => (timer = setTimeout(resolve, graceMs)));
    const closed = this.#demand.close().then(() => Promise.all(this.#inHand));
    await Promise.race([closed, grace]);
    clearTimeout(timer);
    this.#stalls.stop();
  }

  private async begin(message: PulledMessage): Promise<void> {
    if (this.#stalls.isStalled()) return; // I4: it may have waited in the socket all the while
    this.#waiting.saw(message.facts.waiting);
    const work = this.work(message);
    this.#inHand.add(work);
    await work;
    this.#inHand.delete(work);
  }

  private async work(message: PulledMessage): Promise<void> {
    const delivery = this.deliveryOf(message);
    const heartbeat = setInterval(() => {
      if (!this.nats.isClosed()) message.working(); // I3
    }, this.#heartbeatMs);
    heartbeat.unref();
    try {
      const { outcome, cause } = await outcomeOf(delivery, this.handle, this.options);
      await this.settle(message, delivery, outcome);
      if (outcome.kind !== 'done' && outcome.kind !== 'leave') this.options.onTrouble(delivery, outcome, cause);
    } catch (cause) {
      // Not even its dead letter could be stored (I2): the server delivers it again when its time is up.
      this.options.onTrouble(delivery, retryAfter(0), cause);
    } finally {
      clearInterval(heartbeat);
    }
  }

  private async settle(message: PulledMessage, delivery: Delivery, outcome: Outcome): Promise<void> {
    switch (outcome.kind) {
      case 'done':
        return message.ack();
      case 'retry':
        return message.nak(outcome.afterMs);
      case 'park': {
        const { subject, data, place: streamSequence, attempt: attempts } = delivery;
        const { stream, durable: consumer } = this.options;
        await this.deadLetters.add({
          consumer,
          reason: outcome.reason,
          attempts,
          subject,
          stream,
          streamSequence,
          data,
        });
        return message.term(outcome.reason);
      }
      case 'leave':
        return;
      default:
        return assertNever(outcome);
    }
  }

  private deliveryOf({ subject, data, headers, facts }: PulledMessage): JetStreamDelivery {
    const { deliveryCount: attempt, streamSequence: place } = facts;
    const isLastAttempt = attempt >= this.options.maxAttempts;
    const stalls = this.#stalls.count;
    const hasStalled = () => this.#stalls.isStalled() || this.#stalls.count !== stalls;
    const othersWait = () => this.#demand.isFull && this.#waiting.isPositive(); // else they would be here
    return { subject, data, headers, place, attempt, isLastAttempt, hasStalled, othersWait };
  }
}
