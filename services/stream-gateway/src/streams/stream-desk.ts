import type { Admission } from '../access/stream-access.js';
import type { StreamReply, StreamRequest } from '../routes/stream-request.js';
import type { Connections } from './connections.js';
import { SseConnection, STREAM_HEADERS } from './sse-connection.js';

/** What sends events to one connection. */
export interface StreamReader {
  /** What to come back with: everything up to it was sent. Null when that is nothing. */
  readonly cursor: string | null;
  start(): void;
  leave(): void;
}

/** A stream that can be opened: what it needs is held until it is released. */
export interface PreparedStream {
  /** There is nothing to send, and there never will be. */
  readonly isOver: boolean;
  readonly readerFor: (connection: SseConnection) => StreamReader;
  readonly release: () => void;
}

export interface StreamOrder {
  readonly admission: Admission;
  readonly request: StreamRequest;
  readonly reply: StreamReply;
}

/**
 * Opens streams, of whatever. All that can be refused is refused before the first byte; a ticket is used up last, so that
 * no refusal costs one.
 */
export class StreamDesk {
  constructor(
    private readonly connections: Connections,
    private readonly retryMs: number,
  ) {}

  async open({ admission, request, reply }: StreamOrder, prepare: () => Promise<PreparedStream>): Promise<void> {
    const giveBack = this.connections.reserve(admission.tenantId);
    let prepared: PreparedStream | undefined;
    const leave = (): void => {
      prepared?.release();
      giveBack();
    };
    try {
      prepared = await prepare();
      if (prepared.isOver || request.method === 'HEAD') {
        this.answer(reply, prepared.isOver);
        leave();
        return;
      }
      const cookie = await admission.redeem();
      if (cookie !== undefined) reply.header('set-cookie', cookie);
    } catch (error) {
      leave();
      throw error;
    }
    // Who went away meanwhile is heard of no more.
    if (reply.raw.destroyed || reply.raw.socket?.destroyed) leave();
    else this.begin(reply, admission, prepared, leave);
  }

  /** 204 tells a browser to come back no more. */
  private answer(reply: StreamReply, isOver: boolean): void {
    if (!isOver) for (const [name, value] of Object.entries(STREAM_HEADERS)) reply.header(name, value);
    reply.status(isOver ? 204 : 200).send();
  }

  private begin(reply: StreamReply, { expiresAt }: Admission, prepared: PreparedStream, leave: () => void): void {
    reply.hijack();
    const connection = new SseConnection(reply.raw, { retryMs: this.retryMs, expiresAt: expiresAt.getTime() });
    const reader = prepared.readerFor(connection);
    const stream = { connection, reader };
    connection.onClose = () => {
      reader.leave();
      this.connections.remove(stream);
      leave();
    };
    this.connections.add(stream);
    connection.open(reply.getHeaders());
    reader.start();
  }
}
