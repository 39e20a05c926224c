import { assertNever, PlatformError } from '@millrace/kernel';
import {
  type Delivery,
  type DeliveryOptions,
  type HandleDelivery,
  type Outcome,
  park,
  retryAfter,
} from '@millrace/ports';
import { type Consumer, jetstream, type JsMsg } from '@nats-io/jetstream';
import { millis, type MsgHdrs, type NatsConnection } from '@nats-io/nats-core';
import { setTimeout as pause } from 'node:timers/promises';
import { JetStreamDeadLetters } from './dead-letters.js';
import { StallWatch } from './stall-watch.js';
import type { StreamName } from './topology.js';

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
 * I1  Every message ends in one of three ways: done (acknowledged), retried later, or parked; an error decides for
 *     itself by its `redelivery`, and an unknown one is retried until `maxAttempts`.
 * I2  A message is parked only once its dead letter is stored; a crash between the two stores it again, once.
 * I3  While a handler works the server is told so, and gives the message to nobody else.
 * I4  A process that stood still (stopped, starved, a laptop's lid) settles nothing it was given before or meanwhile:
 *     the server took it for dead and gave the message on, and a late word would take it from whoever has it now.
 * I5  A message that ended its process each time is never handled again after `maxAttempts`: the server delivers
 *     without limit and we count, so that it cannot vanish unseen.
 */
export class DurableConsumer {
  readonly #inHand = new Set<Promise<void>>();
  #isClosed = false;

  private constructor(
    private readonly nats: NatsConnection,
    private readonly options: Required<ConsumerOptions>,
    private readonly consumer: Consumer,
    private readonly deadLetters: JetStreamDeadLetters,
    private readonly heartbeatMs: number,
    private readonly stalls: StallWatch,
    private readonly handle: Handle,
  ) {}

  static async open(nats: NatsConnection, options: ConsumerOptions, handle: Handle): Promise<DurableConsumer> {
    const all = { ...DEFAULTS, ...options };
    const consumer = await jetstream(nats).consumers.get(all.stream, all.durable);
    const { config } = await consumer.info(true);
    const ackWaitMs = millis(config.ack_wait ?? 0);
    const heartbeatMs = Math.max(ackWaitMs / 3, 50);
    const stalls = new StallWatch(Math.max(ackWaitMs / 2, 1_000));
    const opened = new DurableConsumer(
      nats,
      all,
      consumer,
      new JetStreamDeadLetters(nats),
      heartbeatMs,
      stalls,
      handle,
    );
    for (let slot = 0; slot < all.concurrency; slot += 1) void opened.serve();
    return opened;
  }

  /** Takes no more messages and waits for those in hand; what is not done in time is delivered again elsewhere. */
  async close(graceMs: number): Promise<void> {
    this.#isClosed = true;
    let timer: NodeJS.Timeout | undefined;
    const grace = new Promise<void>((resolve) => (timer = setTimeout(resolve, graceMs)));
    await Promise.race([Promise.all(this.#inHand), grace]);
    clearTimeout(timer);
    this.stalls.stop();
  }

  /** One slot. It asks for one message at a time: what nobody works on yet stays where any process can have it. */
  private async serve(): Promise<void> {
    while (!this.#isClosed && !this.nats.isClosed()) {
      const message = await this.next();
      if (!message) continue;
      if (this.stalls.isStalled()) continue; // I4: it may have waited in the socket all the while
      if (this.#isClosed) return message.nak(); // came while we were closing
      const work = this.work(message);
      this.#inHand.add(work);
      await work;
      this.#inHand.delete(work);
    }
  }

  private async next(): Promise<JsMsg | null> {
    try {
      return await this.consumer.next({ expires: WAIT_MS });
    } catch (cause) {
      if (this.#isClosed || this.nats.isClosed()) return null;
      this.options.onIdle(cause);
      await pause(PAUSE_MS);
      return null;
    }
  }

  private async work(message: JsMsg): Promise<void> {
    const delivery = this.deliveryOf(message);
    const heartbeat = setInterval(() => {
      if (!this.nats.isClosed()) message.working(); // I3
    }, this.heartbeatMs);
    heartbeat.unref();
    try {
      const { outcome, cause } = await this.outcomeOf(delivery);
      if (outcome.kind !== 'done' && outcome.kind !== 'leave') this.options.onTrouble(delivery, outcome, cause);
      await this.settle(message, delivery, outcome);
    } catch (cause) {
      // Not even its dead letter could be stored (I2): the server delivers it again when its time is up.
      this.options.onTrouble(delivery, retryAfter(0), cause);
    } finally {
      clearInterval(heartbeat);
    }
  }

  private async outcomeOf(delivery: JetStreamDelivery): Promise<{ outcome: Outcome; cause?: unknown }> {
    const { maxAttempts, retryAfterMs } = this.options;
    if (delivery.attempt > maxAttempts) {
      return { outcome: park(`delivered ${delivery.attempt} times and never settled`) }; // I5
    }
    try {
      const outcome = await this.handle(delivery);
      if (outcome.kind !== 'retry' || !delivery.isLastAttempt) return { outcome };
      return { outcome: park(`still not done after ${delivery.attempt} attempts`) };
    } catch (cause) {
      const message = cause instanceof Error ? cause.message : String(cause);
      const isHopeless = cause instanceof PlatformError && cause.redelivery === 'park';
      if (isHopeless || delivery.isLastAttempt) return { outcome: park(message), cause }; // I1
      return { outcome: retryAfter(retryAfterMs(delivery.attempt)), cause };
    }
  }

  private async settle(message: JsMsg, delivery: Delivery, outcome: Outcome): Promise<void> {
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

  private deliveryOf({ subject, data, headers, seq, info }: JsMsg): JetStreamDelivery {
    const attempt = info.deliveryCount;
    const isLastAttempt = attempt >= this.options.maxAttempts;
    const stalls = this.stalls.count;
    const hasStalled = () => this.stalls.isStalled() || this.stalls.count !== stalls;
    return { subject, data, headers, place: seq, attempt, isLastAttempt, hasStalled };
  }
}

/** How long the server may keep a question open: so long a process that stands still may be given messages. */
const WAIT_MS = 5_000;
const PAUSE_MS = 200;

const DEFAULTS = {
  concurrency: 1,
  maxAttempts: 5,
  retryAfterMs: (attempt: number): number => Math.min(2 ** (attempt - 1) * 200, 30_000),
  onTrouble: (): void => {},
  onIdle: (): void => {},
};
