import { assertNever } from '@millrace/kernel';
import {
  type ConsumerName,
  type Consuming,
  type DeadLetters,
  type Delivery,
  type DeliveryOptions,
  type HandleDelivery,
  type Outcome,
  outcomeOf,
  retryAfter,
  type StorePlace,
} from '@millrace/ports';
import type { MemoryConsumer } from './memory-consumer.js';
import { bytesOf, type StoredMessage } from './memory-stream.js';
import type { ProcessParts } from './process-parts.js';

type Options = Required<DeliveryOptions> & { readonly name: ConsumerName };

/**
 * The messages one process takes from a durable consumer.
 *
 * I1  A message is parked only once its dead letter is stored.
 * I2  While a handler works the store is told so; when its process is gone or stands still it is not.
 * I3  A process that stood still settles nothing it was given before or meanwhile: it is in other hands by now.
 */
export class MemoryConsuming implements Consuming {
  readonly #consumer: MemoryConsumer;
  readonly #held = new Set<StorePlace>();
  readonly #inHand = new Set<Promise<void>>();
  readonly #withdraw = new Set<() => void>();
  readonly #endWatch: () => void;
  #isClosed = false;

  constructor(
    private readonly parts: ProcessParts,
    private readonly deadLetters: Pick<DeadLetters, 'add'>,
    private readonly handle: HandleDelivery,
    private readonly options: Options,
  ) {
    this.#consumer = parts.store.consumers[options.name];
    this.#endWatch = parts.wire.life.onSilence(() => this.fallSilent());
    for (let slot = 0; slot < options.concurrency; slot += 1) this.ask();
  }

  async close(graceMs: number): Promise<void> {
    this.#isClosed = true;
    const stop = new AbortController();
    const closed = this.withdrawAll().then(() => Promise.all(this.#inHand));
    await Promise.race([closed, this.parts.wire.pause(graceMs, stop.signal)]);
    stop.abort();
    this.#endWatch();
  }

  /** One slot asks for one message: what it does not work on yet stays where any process can have it. */
  private ask(): void {
    const { wire } = this.parts;
    wire.send(
      () => {
        if (wire.life.isGone || this.#isClosed) return;
        const stopAsking = () => withdraw();
        this.#withdraw.add(stopAsking);
        const withdraw = this.#consumer.take((message, attempt) => {
          this.#withdraw.delete(stopAsking); // perhaps at once
          this.give(message, attempt);
        });
      },
      () => void wire.pause(ASK_AGAIN_MS).then(() => this.ask()),
    );
  }

  private give(message: StoredMessage, attempt: number): void {
    const { wire } = this.parts;
    const { stalls } = wire.life;
    if (wire.life.isMoving) this.#held.add(message.place);
    else this.#consumer.abandon(message.place); // I2
    wire.tell(() => {
      if (wire.life.stalls !== stalls) return this.ask(); // I3
      if (this.#isClosed) return this.settleWith(message.place, () => this.#consumer.retry(message.place, 0));
      this.#held.add(message.place);
      const work = this.work(message, attempt, () => wire.life.stalls !== stalls);
      this.#inHand.add(work);
      void work.finally(() => {
        this.#inHand.delete(work);
        if (!this.#isClosed) this.ask();
      });
    });
  }

  private async work(message: StoredMessage, attempt: number, hasStalled: () => boolean): Promise<void> {
    const { subject, place } = message;
    const isLastAttempt = attempt >= this.options.maxAttempts;
    const othersWait = () => this.#consumer.hasMore;
    const delivery = { subject, data: bytesOf(message), place, attempt, isLastAttempt, hasStalled, othersWait };
    const alive = () => this.#consumer.working(place);
    const endHeartbeat = this.parts.wire.every(this.#consumer.ackWaitMs / 3, alive); // I2
    try {
      const { outcome, cause } = await outcomeOf(delivery, this.handle, this.options);
      await this.settle(delivery, outcome);
      if (outcome.kind !== 'done' && outcome.kind !== 'leave') this.options.onTrouble(delivery, outcome, cause);
    } catch (cause) {
      this.options.onTrouble(delivery, retryAfter(0), cause); // I1: its dead letter could not be stored
      this.settleWith(place, () => this.#consumer.abandon(place));
    } finally {
      endHeartbeat();
    }
  }

  private async settle(delivery: Delivery, outcome: Outcome): Promise<void> {
    const { place } = delivery;
    switch (outcome.kind) {
      case 'done':
        return this.settleWith(place, () => this.#consumer.done(place));
      case 'retry':
        return this.settleWith(place, () => this.#consumer.retry(place, outcome.afterMs));
      case 'park': {
        const { subject, data, attempt: attempts } = delivery;
        const { name: consumer } = this.options;
        const about = { consumer, reason: outcome.reason, attempts, subject, stream: STREAM_OF[consumer] };
        await this.deadLetters.add({ ...about, streamSequence: place, data });
        return this.settleWith(place, () => this.#consumer.done(place));
      }
      case 'leave':
        return this.settleWith(place, () => this.#consumer.abandon(place));
      default:
        return assertNever(outcome);
    }
  }

  private settleWith(place: StorePlace, word: () => void): void {
    this.#held.delete(place);
    this.parts.wire.send(word, () => this.#consumer.abandon(place));
  }

  /** Once the store has heard it, nothing more is given to this process. */
  private async withdrawAll(): Promise<void> {
    const withdraw = () => {
      for (const each of this.#withdraw) each();
    };
    await this.parts.wire.ask('read', withdraw).catch(withdraw); // a store that is away gives nothing either
  }

  private fallSilent(): void {
    for (const place of this.#held) this.#consumer.abandon(place);
    if (!this.parts.wire.life.isGone) return; // one that stands still may be given a message
    for (const withdraw of this.#withdraw) withdraw();
  }
}

const ASK_AGAIN_MS = 200;

const STREAM_OF: Readonly<Record<ConsumerName, string>> = {
  orchestrator: 'RUNS',
  'orchestrator-timers': 'TIMERS',
  'run-api-retries': 'RUNS',
  'node-workers': 'TASKS',
};
