import { type RunEvent, type RunRef, subjects } from '@millrace/contracts';
import { StoreUnavailable } from '@millrace/ports';
import type { Msg, NatsConnection, Subscription } from '@nats-io/nats-core';

/** A stored event as it passed by, or word that some may have been missed. */
export type LiveSignal = { readonly event: RunEvent; readonly streamSequence: number } | 'look';

export interface LiveOptions {
  /** How often a quiet run's tail is looked at, in case its last live message was lost. */
  readonly lookEveryMs: number;
  /** How many events may wait for one listener; beyond it they are dropped and read from the log when it is ready. */
  readonly maxWaiting: number;
  readonly decode: (message: Msg, run: RunRef) => Promise<{ event: RunEvent; streamSequence: number }>;
}

/**
 * Republished events, one subscription for each run however many listen. They come at most once and may be lost: a
 * listener compares positions and goes back to the log when one is missing or when it hears 'look'.
 */
export class LiveEvents {
  readonly #channels = new Map<string, Channel>();
  #watchesReconnects = false;

  constructor(
    private readonly nats: NatsConnection,
    private readonly options: LiveOptions,
  ) {}

  /** Listening has begun when this resolves: whatever is stored from then on is heard, until `signal` aborts. */
  async join(run: RunRef, signal?: AbortSignal): Promise<LiveListener> {
    this.watchReconnects();
    const subject = subjects.live(run);
    let channel = this.#channels.get(subject);
    if (!channel) {
      channel = new Channel(this.nats, run, subject, this.options);
      this.#channels.set(subject, channel);
    }
    const joined = channel;
    const listener = new LiveListener(this.options.maxWaiting, signal, () => {
      joined.listeners.delete(listener);
      if (joined.listeners.size > 0) return;
      joined.close();
      if (this.#channels.get(subject) === joined) this.#channels.delete(subject);
    });
    channel.listeners.add(listener);
    try {
      await channel.listening;
    } catch (error) {
      listener.leave();
      throw error;
    }
    return listener;
  }

  private watchReconnects(): void {
    if (this.#watchesReconnects) return;
    this.#watchesReconnects = true;
    void (async () => {
      for await (const { type } of this.nats.status()) {
        if (type === 'reconnect') for (const channel of this.#channels.values()) channel.tell('look');
      }
    })();
  }
}

class Channel {
  readonly listeners = new Set<LiveListener>();
  readonly listening: Promise<void>;
  readonly #subscription: Subscription;
  readonly #timer: NodeJS.Timeout;
  /** Decoding may wait for the object store; what came later waits behind it. */
  #order: Promise<void> = Promise.resolve();

  constructor(nats: NatsConnection, run: RunRef, subject: string, options: LiveOptions) {
    this.#subscription = nats.subscribe(subject, {
      callback: (_error, message) => {
        // What cannot be read now is looked up in the log, which says why if it still cannot.
        const told = this.#order
          .then(() => options.decode(message, run))
          .then(
            (signal) => this.tell(signal),
            () => this.tell('look'),
          );
        this.#order = told;
      },
    });
    this.listening = hasAnswered(nats); // the server has the subscription once it answers
    this.#timer = setInterval(() => this.tell('look'), options.lookEveryMs);
    this.#timer.unref();
  }

  tell(signal: LiveSignal): void {
    for (const listener of this.listeners) listener.hear(signal);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#subscription.unsubscribe();
  }
}

/** A connection that is lost meanwhile rejects it, with an error of the client library's own. */
export async function hasAnswered(nats: NatsConnection): Promise<void> {
  try {
    await nats.flush();
  } catch (cause) {
    throw new StoreUnavailable('The NATS server was gone before it had a subscription', { cause });
  }
}

export class LiveListener {
  #heard: LiveSignal[] = [];
  #wake?: (() => void) | undefined;
  readonly #stop = () => this.#wake?.();

  constructor(
    private readonly maxWaiting: number,
    private readonly signal: AbortSignal | undefined,
    private readonly left: () => void,
  ) {
    signal?.addEventListener('abort', this.#stop);
  }

  leave(): void {
    this.signal?.removeEventListener('abort', this.#stop);
    this.left();
  }

  hear(signal: LiveSignal): void {
    if (this.#heard.length >= this.maxWaiting) this.#heard = ['look'];
    else if (signal !== 'look' || this.#heard.at(-1) !== 'look') this.#heard.push(signal);
    this.#wake?.();
  }

  /** Undefined once the signal has aborted. */
  async next(): Promise<LiveSignal | undefined> {
    while (this.#heard.length === 0 && !this.signal?.aborted) {
      await new Promise<void>((resolve) => (this.#wake = resolve));
      this.#wake = undefined;
    }
    return this.signal?.aborted ? undefined : this.#heard.shift();
  }
}
