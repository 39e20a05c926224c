import { createServer, connect, type Server, type Socket } from 'node:net';
import { once } from 'node:events';

/** What a process wants to publish. */
export interface Publish {
  readonly subject: string;
  /** Headers and body. */
  readonly payload: Buffer;
}

/**
 * Stands between processes and nats-server. A publish it is told to hold does not reach the server, nor does anything
 * its connection sends after it: so a process can be killed at the very moment before a message of its is stored.
 */
export class PublishGate {
  readonly #sockets = new Set<Socket>();
  #isHeld: (publish: Publish) => boolean = () => false;
  #told: () => void = () => {};

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async before(url: string): Promise<PublishGate> {
    const upstream = new URL(url);
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new TypeError('a gate listens on a port');
    const gate = new PublishGate(server, `nats://127.0.0.1:${address.port}`);
    server.on('connection', (client) => gate.pass(client, upstream));
    return gate;
  }

  /** Holds the next publish of this sort. Resolves when it has one. */
  hold(isHeld: (publish: Publish) => boolean): Promise<void> {
    this.#isHeld = isHeld;
    return new Promise((resolve) => (this.#told = resolve));
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private pass(client: Socket, upstream: URL): void {
    const server = connect(Number(upstream.port), upstream.hostname);
    const frames = new ClientFrames();
    let isShut = false;
    client.on('data', (bytes) => {
      for (const { publish, frame } of frames.push(bytes)) {
        if (!isShut && publish && this.#isHeld(publish)) {
          isShut = true;
          this.#isHeld = () => false;
          this.#told();
        }
        if (!isShut) server.write(frame);
      }
    });
    server.pipe(client);
    for (const [socket, other] of [[client, server] as const, [server, client] as const]) {
      this.#sockets.add(socket);
      socket.on('error', () => other.destroy()); // a killed process resets its connection: the server is told by the close
      socket.on('close', () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
    }
  }
}

interface Frame {
  readonly publish?: Publish;
  readonly frame: Buffer;
}

/** What a NATS client sends, cut into commands: `PUB subject [reply] size` and `HPUB …` are followed by a payload. */
class ClientFrames {
  #rest = Buffer.alloc(0);

  *push(bytes: Buffer): Generator<Frame> {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    for (;;) {
      const lineEnd = this.#rest.indexOf('\r\n');
      if (lineEnd < 0) return;
      const words = this.#rest.toString('latin1', 0, lineEnd).split(' ');
      const isPublish = words[0] === 'PUB' || words[0] === 'HPUB';
      const end = lineEnd + 2 + (isPublish ? Number(words.at(-1)) + 2 : 0);
      if (this.#rest.length < end) return;
      const frame = this.#rest.subarray(0, end);
      this.#rest = this.#rest.subarray(end);
      const payload = frame.subarray(lineEnd + 2);
      yield isPublish ? { publish: { subject: words[1]!, payload }, frame } : { frame };
    }
  }
}
