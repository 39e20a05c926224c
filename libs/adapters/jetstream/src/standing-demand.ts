import { StoreUnavailable } from '@millrace/ports';
import { type Msg, nanos, type NatsConnection, type Subscription } from '@nats-io/nats-core';
import { inboxOf } from './nats-connection.js';
import { PulledMessage } from './pulled-message.js';

export interface DemandOptions {
  readonly stream: string;
  readonly durable: string;
  readonly slots: number;
  /** Works on the message until the promise settles; it never rejects. Begun in the turn the message comes in. */
  readonly begin: (message: PulledMessage) => Promise<void>;
  /** Nobody works on the message. Said of one that came while there was no slot for it. */
  readonly giveBack: (message: PulledMessage) => void;
  readonly onIdle: (cause: unknown) => void;
}

/**
 * Asks a consumer for as many messages as there are free slots, and keeps asking: one open request for all of them.
 *
 * I1  What is in hand and what is asked for are together never more than the slots: a message that waited in a buffer
 *     would age towards its ack wait. One that comes beyond them is given back at once.
 * I2  A request the server may have forgotten (it restarted, another leads, the connection was gone) is made again
 *     through a new inbox: the old one, if it is still there, finds nobody and ends.
 * I3  The server ends every request after WAIT_MS and says so. When it is silent for longer, I2.
 */
export class StandingDemand {
  readonly #api: string;
  readonly #request: { prefix: string; count: number } = { prefix: '', count: 0 };
  #inbox: Subscription | undefined;
  #inHand = 0;
  #asked = 0;
  #isAway = false;
  #isClosed = false;
  #silence: NodeJS.Timeout | undefined;
  #rest: NodeJS.Timeout | undefined;

  constructor(
    private readonly nats: NatsConnection,
    private readonly options: DemandOptions,
  ) {
    this.#api = `$JS.API.CONSUMER.MSG.NEXT.${options.stream}.${options.durable}`;
    this.#listen();
    this.#ask();
    void this.#watchConnection();
  }

  /** Whether every slot has its message. */
  get isFull(): boolean {
    return this.#inHand >= this.options.slots;
  }

  /** Asks no more; what is on its way is given back. Resolves when nothing is on its way any longer. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#silence);
    clearTimeout(this.#rest);
    await this.#finish();
  }

  /** Begins anew and hears nothing more of what was asked before: this process stood still, others have it by now. */
  forget(): void {
    if (this.#isClosed || this.nats.isClosed()) return;
    this.#inbox?.unsubscribe();
    this.#beginAnew();
  }

  #listen(): void {
    const inbox = inboxOf(this.nats);
    const subscription: Subscription = this.nats.subscribe(`${inbox}.*`, {
      callback: (error, message) => {
        if (error) this.#failed(error);
        else this.#hear(message, subscription);
      },
    });
    this.#inbox = subscription;
    this.#request.prefix = inbox;
  }

  #hear(message: Msg, from: Subscription): void {
    const isCurrent = from === this.#inbox;
    // A message of the stream has its own subject; on the inbox's the server speaks of the request.
    if (message.subject.startsWith(from.getSubject().slice(0, -1))) {
      if (isCurrent) this.#ended(message);
      return;
    }
    if (isCurrent) this.#asked = Math.max(0, this.#asked - 1);
    const pulled = new PulledMessage(message);
    const isBeyond = this.#inHand + (isCurrent ? 0 : this.#asked) >= this.options.slots;
    if (this.#isClosed || isBeyond) return this.options.giveBack(pulled); // I1
    void this.#work(pulled);
    this.#ask();
  }

  async #work(message: PulledMessage): Promise<void> {
    this.#inHand += 1;
    try {
      await this.options.begin(message);
    } finally {
      this.#inHand -= 1;
      this.#ask();
    }
  }

  /** A request has ended without all it asked for. */
  #ended({ headers }: Msg): void {
    if (this.#isClosed) return;
    if (headers?.code === TIME_IS_UP) {
      this.#asked = Math.max(0, this.#asked - Number(headers.get('Nats-Pending-Messages')));
      return this.#ask();
    }
    const { durable } = this.options;
    const why = headers?.code === NO_RESPONDERS ? 'nobody answers' : `${headers?.code} ${headers?.description}`;
    this.#failed(new StoreUnavailable(`Consumer ${durable} gives no messages: ${why}`));
  }

  #ask(): void {
    if (this.#isClosed || this.#isAway || this.#rest !== undefined || this.nats.isClosed()) return;
    const free = this.options.slots - this.#inHand;
    const missing = free - this.#asked;
    // One request for many slots that became free, not one for each; while most of the free ones are asked for, no slot waits.
    if (missing <= 0 || this.#asked * 4 >= free * 3) return;
    this.#asked += missing;
    const reply = `${this.#request.prefix}.${(this.#request.count += 1)}`;
    this.nats.publish(this.#api, JSON.stringify({ batch: missing, expires: nanos(WAIT_MS) }), { reply });
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => this.#wasSilent(), WAIT_MS + GRACE_MS).unref();
  }

  #wasSilent(): void {
    if (this.#asked === 0 || this.#isAway || this.nats.isClosed()) return;
    this.#failed(new StoreUnavailable(`Consumer ${this.options.durable} did not answer`)); // I3
  }

  #failed(cause: unknown): void {
    if (this.#isClosed || this.#rest !== undefined || this.nats.isClosed()) return;
    this.options.onIdle(cause);
    this.#rest = setTimeout(() => {
      this.#rest = undefined;
      if (this.#isClosed || this.nats.isClosed()) return;
      void this.#finish();
      this.#beginAnew();
    }, PAUSE_MS);
  }

  /** No more comes to the inbox; what is on its way is still heard. */
  async #finish(): Promise<void> {
    if (this.#inbox && !this.nats.isClosed() && !this.#inbox.isClosed()) await this.#inbox.drain();
  }

  /** I2 */
  #beginAnew(): void {
    clearTimeout(this.#silence);
    clearTimeout(this.#rest);
    this.#rest = undefined;
    this.#asked = 0;
    this.#listen();
    this.#ask();
  }

  async #watchConnection(): Promise<void> {
    for await (const { type } of this.nats.status()) {
      if (this.#isClosed) return;
      if (type === 'disconnect') this.#isAway = true;
      if (type !== 'reconnect') continue;
      this.#isAway = false;
      this.forget(); // what the old connection was given is lost to this process
    }
  }
}

/** How long the server may keep a request open: so long a process that stands still may be given messages. */
const WAIT_MS = 5_000;
const GRACE_MS = 1_000;
const PAUSE_MS = 200;
const TIME_IS_UP = 408;
const NO_RESPONDERS = 503;
