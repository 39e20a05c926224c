import type { StreamClosing } from '@millrace/contracts';
import { encodeClosing, encodeHeartbeat, encodeRetry } from '@millrace/dialects';
import type { ServerResponse } from 'node:http';

export const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
} as const;

export interface ConnectionOptions {
  readonly retryMs: number;
  /** When its token, or its session, stops being good. */
  readonly expiresAt: number;
}

/** Proxies that wait for enough bytes before they pass any on have enough with this. */
const PADDING_BYTES = 2_048;
const PADDED_EVERY = 8;

const PING = Buffer.from(encodeHeartbeat());
const PADDED_PING = Buffer.from(encodeHeartbeat(PADDING_BYTES));

/**
 * The response to one who follows something. What it has not taken yet is bounded: once more waits than a socket's
 * buffer holds it is blocked, and nobody sends to it until it has drained.
 */
export class SseConnection {
  onDrain: () => void = () => {};
  onClose: () => void = () => {};
  readonly expiresAt: number;
  #blockedSince: number | undefined;
  #heardAt = performance.now();
  #pings = 0;
  #isOpen = true;

  constructor(
    private readonly response: ServerResponse,
    private readonly options: ConnectionOptions,
  ) {
    this.expiresAt = options.expiresAt;
    response.on('drain', () => this.drained());
    response.on('close', () => this.gone());
    response.on('error', () => this.gone()); // the other side is away: there is nobody left to tell
  }

  open(headers: Record<string, unknown>): void {
    this.response.writeHead(200, {
      ...(headers as Record<string, string>),
      ...STREAM_HEADERS,
      // A stream ends with its connection: who comes back is free to be sent to another process.
      connection: 'close',
    });
    this.response.write(encodeRetry(this.options.retryMs) + encodeHeartbeat(PADDING_BYTES));
    this.response.socket?.setKeepAlive(true, KEEP_ALIVE_MS);
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  get isBlocked(): boolean {
    return this.#blockedSince !== undefined;
  }

  get isWritable(): boolean {
    return this.#isOpen && !this.isBlocked;
  }

  /** What was sent and not taken yet. */
  get bytesWaiting(): number {
    return this.response.writableLength;
  }

  /** For how long it has taken nothing although there was something. */
  blockedMs(now: number): number {
    return this.#blockedSince === undefined ? 0 : now - this.#blockedSince;
  }

  send(bytes: Buffer): void {
    if (bytes.byteLength === 0) return;
    this.#heardAt = performance.now();
    if (!this.response.write(bytes)) this.#blockedSince = performance.now();
  }

  /** A sign of life, when nothing was sent for so long. */
  heartbeat(now: number, everyMs: number): void {
    if (!this.isWritable || now - this.#heardAt < everyMs) return;
    this.#pings += 1;
    this.send(this.#pings % PADDED_EVERY === 0 ? PADDED_PING : PING);
  }

  /** Everything was said. */
  end(): void {
    if (!this.#isOpen) return;
    this.response.end();
    this.gone();
  }

  /** There is more to say, but not here: why, and where to go on. */
  close(closing: StreamClosing, retryMs = this.options.retryMs): void {
    if (!this.#isOpen) return;
    this.response.end(encodeRetry(retryMs) + encodeClosing(closing));
    // Who takes nothing does not take this either, and holds the socket until somebody lets go.
    if (this.isBlocked) setTimeout(() => this.response.destroy(), LAST_WORDS_MS).unref();
    this.gone();
  }

  private drained(): void {
    if (!this.#isOpen) return;
    this.#blockedSince = undefined;
    this.onDrain();
  }

  private gone(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.onClose();
  }
}

const KEEP_ALIVE_MS = 30_000;
const LAST_WORDS_MS = 5_000;
