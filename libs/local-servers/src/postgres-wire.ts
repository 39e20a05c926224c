import { connect } from 'node:net';

/**
 * Runs one statement over a connection of its own, for set-up such as CREATE DATABASE. It speaks just as much of the
 * protocol as a server needs that trusts us, so that whoever starts a PostgreSQL needs no client library.
 */
export async function executeSql(databaseUrl: string, sql: string): Promise<void> {
  const { hostname, port, username, pathname } = new URL(databaseUrl);
  const socket = connect({ host: hostname, port: Number(port) });
  let pending: Buffer = Buffer.alloc(0);
  let sent = false;
  let failure: string | undefined;
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.once('close', () => reject(new Error(failure ?? `${databaseUrl} closed the connection`)));
    socket.once('connect', () => socket.write(startup(decodeURIComponent(username), pathname.slice(1))));
    socket.on('data', (chunk: Buffer) => {
      pending = Buffer.concat([pending, chunk]);
      for (let message = takeMessage(); message !== undefined; message = takeMessage()) {
        if (message.type === 'E') failure = errorText(message.body);
        if (message.type === 'R' && message.body.readInt32BE(0) !== 0) failure = `${databaseUrl} asks for a password`;
        if (message.type === 'Z' && !sent) {
          sent = true;
          socket.write(frame('Q', `${sql}\0`));
        } else if (message.type === 'Z') {
          if (failure === undefined) resolve();
          else reject(new Error(`${failure}: ${sql}`));
        } else if (failure !== undefined && !sent) {
          reject(new Error(failure));
        }
      }
    });
  }).finally(() => socket.end(frame('X', '')));

  function takeMessage(): { type: string; body: Buffer } | undefined {
    if (pending.length < 5) return undefined;
    const end = 1 + pending.readInt32BE(1);
    if (pending.length < end) return undefined;
    const message = { type: String.fromCharCode(pending.readUInt8(0)), body: pending.subarray(5, end) };
    pending = pending.subarray(end);
    return message;
  }
}

const PROTOCOL_3 = 0x0003_0000;

function startup(user: string, database: string): Buffer {
  const parameters = Buffer.from(`user\0${user}\0database\0${database}\0\0`);
  const head = Buffer.alloc(8);
  head.writeInt32BE(head.length + parameters.length, 0);
  head.writeInt32BE(PROTOCOL_3, 4);
  return Buffer.concat([head, parameters]);
}

function frame(type: string, body: string): Buffer {
  const bytes = Buffer.from(body);
  const head = Buffer.alloc(5);
  head.write(type, 0);
  head.writeInt32BE(4 + bytes.length, 1);
  return Buffer.concat([head, bytes]);
}

/** An error is a list of texts, each led by a letter; `M` leads the one for people. */
const errorText = (body: Buffer): string =>
  body
    .toString('utf8')
    .split('\0')
    .find((field) => field.startsWith('M'))
    ?.slice(1) ?? 'an error without a message';
