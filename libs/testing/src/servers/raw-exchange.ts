import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** All of it, byte by byte. */
  readonly text: string;
}

/**
 * Sends what no HTTP client would, and resolves with all that comes back until the server hangs up. What is sent `then`
 * follows as soon as an answer to the first has begun.
 */
export async function rawExchange(url: string, first: string, then?: string): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.on('error', () => {}); // a server that hangs up may do so while we send
  const received = receive(socket);
  if (then !== undefined) socket.once('data', () => socket.write(then, 'latin1'));
  socket.write(first, 'latin1');
  return answerIn(await received);
}

async function receive(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  await once(socket, 'close');
  return Buffer.concat(chunks).toString();
}

function answerIn(text: string): RawAnswer {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = lines.map((line): [string, string] => {
    const at = line.indexOf(':');
    return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()];
  });
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]);
  return { status, headers: Object.fromEntries(headers), body: rest.join('\r\n\r\n'), text };
}
