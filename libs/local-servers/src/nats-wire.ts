import { connect } from 'node:net';

/**
 * Asks one question over a connection of its own and resolves with the answer, e.g. whether a stream is there. It speaks
 * just as much of the protocol as that needs, so that whoever starts a nats-server needs no client library.
 */
export async function requestNats(natsUrl: string, subject: string, payload = '', timeoutMs = 10_000): Promise<string> {
  const { hostname, port, username, password } = new URL(natsUrl);
  const socket = connect({ host: hostname, port: Number(port) });
  const inbox = `_INBOX.${process.pid}.${Math.random().toString(36).slice(2)}`;
  let pending: Buffer = Buffer.alloc(0);
  let timeout: NodeJS.Timeout | undefined;
  return new Promise<string>((resolve, reject) => {
    // A cluster without a leader takes the question and never answers.
    timeout = setTimeout(() => reject(new Error(`${natsUrl}: no answer on ${subject}`)), timeoutMs);
    socket.once('error', reject);
    socket.once('close', () => reject(new Error(`${natsUrl} closed the connection`)));
    socket.on('data', (chunk: Buffer) => {
      pending = Buffer.concat([pending, chunk]);
      for (let frame = takeFrame(); frame !== undefined; frame = takeFrame()) {
        if (frame.verb === 'INFO') socket.write(opening());
        if (frame.verb === 'PING') socket.write('PONG\r\n');
        if (frame.verb === '-ERR') reject(new Error(`${natsUrl} refused the request on ${subject}: ${frame.rest}`));
        if (frame.headers.startsWith('NATS/1.0 503')) reject(new Error(`${natsUrl}: nobody answers on ${subject}`));
        else if (frame.body !== undefined) resolve(frame.body);
      }
    });
  }).finally(() => {
    clearTimeout(timeout);
    socket.destroy();
  });

  function opening(): string {
    const account = username === '' ? {} : { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
    const options = { verbose: false, lang: 'none', version: '0', headers: true, no_responders: true, ...account };
    const size = Buffer.byteLength(payload);
    return `CONNECT ${JSON.stringify(options)}\r\nSUB ${inbox} 1\r\nPUB ${subject} ${inbox} ${size}\r\n${payload}\r\n`;
  }

  function takeFrame(): { verb: string; rest: string; headers: string; body?: string } | undefined {
    const lineEnd = pending.indexOf('\r\n');
    if (lineEnd === -1) return undefined;
    const line = pending.toString('utf8', 0, lineEnd);
    const [verb = '', ...words] = line.split(' ');
    const rest = words.join(' ');
    if (verb !== 'MSG' && verb !== 'HMSG') {
      pending = pending.subarray(lineEnd + 2);
      return { verb, rest, headers: '' };
    }
    // "MSG subject sid [reply] bytes", "HMSG subject sid [reply] headerBytes bytes": sizes come last.
    const bodyStart = lineEnd + 2 + (verb === 'HMSG' ? Number(words.at(-2)) : 0);
    const end = lineEnd + 2 + Number(words.at(-1));
    if (pending.length < end + 2) return undefined;
    const frame = {
      verb,
      rest,
      headers: pending.toString('utf8', lineEnd + 2, bodyStart),
      body: pending.toString('utf8', bodyStart, end),
    };
    pending = pending.subarray(end + 2);
    return frame;
  }
}

/** What a nats-server says of itself to whoever connects, before it asks who that is: its version, its name. */
export async function readNatsInfo(natsUrl: string): Promise<Record<string, unknown>> {
  const { hostname, port } = new URL(natsUrl);
  const socket = connect({ host: hostname, port: Number(port) });
  try {
    let received = '';
    for await (const chunk of socket.setEncoding('utf8') as AsyncIterable<string>) {
      received += chunk;
      const [line, rest] = received.split('\r\n', 2);
      if (rest !== undefined) return JSON.parse(line?.replace(/^INFO /, '') ?? '') as Record<string, unknown>;
    }
    throw new Error(`${natsUrl} closed the connection`);
  } finally {
    socket.destroy();
  }
}
