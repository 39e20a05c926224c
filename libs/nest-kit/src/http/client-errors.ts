import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { HttpOptions } from '../run-service.js';
import { bareProblem } from './bare-problem.js';

type ClientErrors = NonNullable<HttpOptions['clientErrorHandler']>;

const STATUS: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** Until then the client may read what it was told, and send what it is still sending: that is read and forgotten. */
const HANG_UP_AFTER_MS = 1_000;

/**
 * What is no HTTP, or more of it than fits, has no request: Node itself gives up on the connection, and all that is left
 * is to say why before it is closed. Never into an answer that has begun: its reader would take it for a part of it.
 */
export const answerClientError: ClientErrors = (error, socket) => {
  if (socket.writableEnded && !socket.destroyed) return; // answered: this is the rest of what is refused
  if (error.code === 'ECONNRESET' || !socket.writable || hasBegunToAnswer(socket)) {
    socket.destroy();
    return;
  }
  const { status, headers, body } = bareProblem(STATUS[error.code] ?? 400);
  const lines = Object.entries({ ...headers, date: new Date().toUTCString(), connection: 'close' });
  const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines.map(([name, value]) => `${name}: ${value}`)];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  setTimeout(() => socket.destroy(), HANG_UP_AFTER_MS).unref();
};

/** Node's own handler looks at the same field; there is no public one. */
const hasBegunToAnswer = (
  socket: Socket & { readonly _httpMessage?: { readonly headersSent: boolean } | null },
): boolean => socket._httpMessage?.headersSent === true;
