import type { StreamClosing, TenantId } from '@millrace/contracts';
import type { SseConnection } from './sse-connection.js';
import type { StreamReader } from './stream-desk.js';
import { GatewayFull, ShuttingDown, TooManyStreams } from './stream-errors.js';

export interface ConnectionsOptions {
  readonly max: number;
  readonly maxPerTenant: number;
  readonly heartbeatMs: number;
  /** How long one may take nothing before it is dropped. */
  readonly stallMs: number;
}

/** A stream that is open, and who sends to it. */
export interface OpenStream {
  readonly connection: SseConnection;
  readonly reader: Pick<StreamReader, 'cursor'>;
}

const TICK_MS = 1_000;
/** After a shutdown clients come back spread over this time, not all at once. */
const RETURN_WITHIN_MS = 2_000;

/** Every stream of the process: how many there may be, and what becomes of them with time. One timer for all. */
export class Connections {
  readonly #streams = new Set<OpenStream>();
  readonly #perTenant = new Map<TenantId, number>();
  readonly #timer: NodeJS.Timeout;
  #isClosing = false;
  #dropped = 0;
  #reserved = 0;

  constructor(private readonly options: ConnectionsOptions) {
    this.#timer = setInterval(() => this.tick(), TICK_MS).unref();
  }

  get counts() {
    return { streams: this.#streams.size, tenants: this.#perTenant.size, dropped: this.#dropped };
  }

  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** A place for one more stream, held until it is given back; refused when there is none. */
  reserve(tenantId: TenantId): () => void {
    if (this.#isClosing) throw new ShuttingDown('This process is about to end');
    const held = this.#perTenant.get(tenantId) ?? 0;
    if (held >= this.options.maxPerTenant) {
      throw new TooManyStreams(`A tenant may have ${this.options.maxPerTenant} streams open here`);
    }
    if (this.#reserved >= this.options.max) throw new GatewayFull(`${this.options.max} streams are open here`);
    this.#reserved += 1;
    this.#perTenant.set(tenantId, held + 1);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#reserved -= 1;
      const left = (this.#perTenant.get(tenantId) ?? 1) - 1;
      if (left > 0) this.#perTenant.set(tenantId, left);
      else this.#perTenant.delete(tenantId);
    };
  }

  add(stream: OpenStream): void {
    this.#streams.add(stream);
  }

  remove(stream: OpenStream): void {
    this.#streams.delete(stream);
  }

  /** Sends everybody elsewhere. */
  closeAll(): void {
    this.#isClosing = true;
    clearInterval(this.#timer);
    for (const stream of [...this.#streams]) {
      stream.connection.close(closing('SHUTTING_DOWN', stream), Math.ceil(Math.random() * RETURN_WITHIN_MS));
    }
  }

  private tick(): void {
    const now = performance.now();
    const clock = Date.now();
    for (const stream of [...this.#streams]) {
      const { connection } = stream;
      if (clock >= connection.expiresAt) connection.close(closing('TOKEN_EXPIRED', stream));
      else if (connection.blockedMs(now) >= this.options.stallMs) {
        this.#dropped += 1;
        connection.close(closing('TOO_SLOW', stream));
      } else connection.heartbeat(now, this.options.heartbeatMs);
    }
  }
}

const closing = (code: StreamClosing['code'], { reader }: OpenStream): StreamClosing => ({
  code,
  cursor: reader.cursor,
});
