import { RunLogUnavailable } from '@millrace/ports';
import { type Msg, type MsgHdrs, type NatsConnection, type Subscription } from '@nats-io/nats-core';
import { streamSequenceIn } from './event-headers.js';
import { inboxOf } from './nats-connection.js';

export interface StoredMessage {
  readonly subject: string;
  readonly streamSequence: number;
  readonly headers: MsgHdrs | undefined;
  readonly data: Uint8Array;
}

export interface MessagePage {
  readonly messages: StoredMessage[];
  /** True when the server had no more for this filter. */
  readonly atEnd: boolean;
}

interface Waiting {
  readonly messages: StoredMessage[];
  readonly resolve: (page: MessagePage) => void;
  readonly reject: (reason: RunLogUnavailable) => void;
  timer: NodeJS.Timeout;
}

const SILENCE_MS = 5_000;
const END_OF_BATCH = 204;
const NOT_FOUND = 404;

/**
 * Reads a stream by direct gets: no consumer on the server, and one subscription for all reads of a connection. The
 * client library's own batch opens one for each call and leaves it behind (measured on 3.4.0).
 */
export class DirectReader {
  readonly #api: string;
  readonly #inbox: string;
  readonly #waiting = new Map<string, Waiting>();
  #replies?: Subscription;
  #asked = 0;

  constructor(
    private readonly nats: NatsConnection,
    private readonly stream: string,
  ) {
    this.#api = `$JS.API.DIRECT.GET.${stream}`;
    this.#inbox = inboxOf(nats);
  }

  /** The newest message on the filter. */
  last(filter: string): Promise<StoredMessage | undefined> {
    return this.one({ last_by_subj: filter });
  }

  /** The first message on the filter that lies at `fromSequence` or later. */
  next(filter: string, fromSequence: number): Promise<StoredMessage | undefined> {
    return this.one({ seq: fromSequence, next_by_subj: filter });
  }

  page(filter: string, fromSequence: number, limit: number): Promise<MessagePage> {
    this.#replies ??= this.nats.subscribe(`${this.#inbox}.*`, { callback: (_error, message) => this.take(message) });
    const reply = `${this.#inbox}.${(this.#asked += 1)}`;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.fail(reply), SILENCE_MS);
      this.#waiting.set(reply, { messages: [], resolve, reject, timer });
      const request = { seq: fromSequence, next_by_subj: filter, batch: limit };
      try {
        this.nats.publish(this.#api, JSON.stringify(request), { reply });
      } catch (cause) {
        this.#waiting.delete(reply);
        clearTimeout(timer);
        reject(new RunLogUnavailable(`Stream ${this.stream} cannot be read`, { cause }));
      }
    });
  }

  private async one(query: object): Promise<StoredMessage | undefined> {
    try {
      const message = await this.nats.request(this.#api, JSON.stringify(query), { timeout: SILENCE_MS });
      if (message.headers?.code === NOT_FOUND) return undefined;
      return stored(message);
    } catch (cause) {
      throw new RunLogUnavailable(`Stream ${this.stream} cannot be read`, { cause });
    }
  }

  private take(message: Msg): void {
    const waiting = this.#waiting.get(message.subject);
    if (!waiting) return; // its reader gave up
    waiting.timer.refresh(); // only silence is a failure, however long the page takes
    const code = message.headers?.code ?? 0;
    if (code === 0) {
      waiting.messages.push(stored(message));
      return;
    }
    this.#waiting.delete(message.subject);
    clearTimeout(waiting.timer);
    const { messages } = waiting;
    if (code === END_OF_BATCH) waiting.resolve({ messages, atEnd: message.headers?.get('Nats-Num-Pending') === '0' });
    else if (code === NOT_FOUND) waiting.resolve({ messages, atEnd: true });
    else
      waiting.reject(new RunLogUnavailable(`Stream ${this.stream} answered ${code} ${message.headers?.description}`));
  }

  private fail(reply: string): void {
    this.#waiting.get(reply)?.reject(new RunLogUnavailable(`Stream ${this.stream} did not answer`));
    this.#waiting.delete(reply);
  }
}

const stored = ({ headers, data }: Msg): StoredMessage => ({
  subject: headers?.get('Nats-Subject') ?? '',
  streamSequence: streamSequenceIn(headers),
  headers,
  data,
});
