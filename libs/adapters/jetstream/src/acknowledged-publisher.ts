import { JetStreamApiError, PubHeaders } from '@nats-io/jetstream';
import { errors, type Msg, type MsgHdrs, type NatsConnection } from '@nats-io/nats-core';
import { inboxOf } from './nats-connection.js';

export interface ConditionalMessage {
  readonly id: string;
  readonly headers: MsgHdrs;
  /** Stored only while this is the last message on the filter. */
  readonly last: { readonly sequence: number; readonly filter: string };
}

export interface StreamAck {
  readonly seq: number;
  readonly duplicate: boolean;
}

interface Waiting {
  readonly subject: string;
  readonly resolve: (ack: StreamAck) => void;
  readonly reject: (cause: unknown) => void;
  readonly timer: NodeJS.Timeout;
}

const NO_RESPONDERS = 503;
const decoder = new TextDecoder();

/**
 * Publishes into a stream and waits for its answer. All answers of a connection come to one inbox. The client library's
 * own publish makes an error, with its stack, for each request, also for one that succeeds: a third of what an append
 * costs this process.
 */
export class AcknowledgedPublisher {
  readonly #inbox: string;
  readonly #waiting = new Map<string, Waiting>();
  #isListening = false;
  #asked = 0;

  constructor(
    private readonly nats: NatsConnection,
    private readonly timeoutMs: number,
  ) {
    this.#inbox = inboxOf(nats);
  }

  /** Rejects with what the stream answered, or with what kept it from answering. */
  publish(subject: string, data: Uint8Array, { id, headers, last }: ConditionalMessage): Promise<StreamAck> {
    headers.set(PubHeaders.MsgIdHdr, id);
    headers.set(PubHeaders.ExpectedLastSubjectSequenceHdr, String(last.sequence));
    headers.set(PubHeaders.ExpectedLastSubjectSequenceSubjectHdr, last.filter);
    return new Promise((resolve, reject) => {
      const reply = `${this.#inbox}.${(this.#asked += 1)}`;
      const late = () => this.taken(reply)?.reject(new errors.TimeoutError());
      this.#waiting.set(reply, { subject, resolve, reject, timer: setTimeout(late, this.timeoutMs) });
      try {
        this.listen();
        this.nats.publish(subject, data, { headers, reply });
      } catch (cause) {
        this.taken(reply)?.reject(cause);
      }
    });
  }

  private listen(): void {
    if (this.#isListening) return;
    this.nats.subscribe(`${this.#inbox}.*`, { callback: (_error, message) => this.answered(message) });
    this.#isListening = true;
    void this.watch();
  }

  private answered({ subject, headers, data }: Msg): void {
    const waiting = this.taken(subject);
    if (!waiting) return; // it was given up
    if (headers?.code === NO_RESPONDERS) return waiting.reject(new errors.NoRespondersError(waiting.subject));
    try {
      const answer = JSON.parse(decoder.decode(data)) as Answer;
      if (answer.error) waiting.reject(new JetStreamApiError(answer.error));
      else waiting.resolve({ seq: answer.seq, duplicate: answer.duplicate ?? false });
    } catch (cause) {
      waiting.reject(cause);
    }
  }

  /** What the server refuses to take, and what it can answer no more, fails now and not when its time is up. */
  private async watch(): Promise<void> {
    for await (const status of this.nats.status()) {
      if (status.type !== 'error' || !(status.error instanceof errors.PermissionViolationError)) continue;
      const { operation, subject } = status.error;
      if (operation === 'publish') this.fail(status.error, (waiting) => waiting.subject === subject);
    }
    this.fail(new errors.ClosedConnectionError(), () => true);
  }

  private fail(cause: unknown, isMeant: (waiting: Waiting) => boolean): void {
    for (const [reply, waiting] of this.#waiting) if (isMeant(waiting)) this.taken(reply)?.reject(cause);
  }

  private taken(reply: string): Waiting | undefined {
    const waiting = this.#waiting.get(reply);
    this.#waiting.delete(reply);
    clearTimeout(waiting?.timer);
    return waiting;
  }
}

/** One of the two: the place it is stored at, or why it is not. */
interface Answer {
  readonly seq: number;
  readonly duplicate?: boolean;
  readonly error?: ConstructorParameters<typeof JetStreamApiError>[0];
}
