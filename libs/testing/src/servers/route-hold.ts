import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/**
 * Stands on the way from one server of a cluster to another. While it is held nothing passes: what the others store this
 * server learns of only afterwards. Nor does it ever learn that the others answer direct gets, so that its own clients
 * are answered by itself alone and not by any replica, as they would be by chance.
 */
export class RouteHold {
  readonly #sockets = new Set<Socket>();
  #isHeld = false;

  private constructor(
    private readonly server: Server,
    readonly address: string,
  ) {}

  static async before(target: string): Promise<RouteHold> {
    const [host, port] = target.split(':');
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const listening = server.address();
    if (listening === null || typeof listening === 'string') throw new TypeError('it listens on a port');
    const hold = new RouteHold(server, `127.0.0.1:${listening.port}`);
    server.on('connection', (laggard) => hold.join(laggard, connect(Number(port), host)));
    return hold;
  }

  hold(): void {
    this.#isHeld = true;
    for (const socket of this.#sockets) socket.pause();
  }

  release(): void {
    this.#isHeld = false;
    for (const socket of this.#sockets) socket.resume();
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private join(laggard: Socket, other: Socket): void {
    const frames = new RouteFrames();
    this.pass(laggard, other, (bytes) => bytes);
    this.pass(other, laggard, (bytes) => Buffer.concat(frames.push(bytes).filter((frame) => !offersDirectGets(frame))));
  }

  private pass(from: Socket, to: Socket, filtered: (bytes: Buffer) => Buffer): void {
    this.#sockets.add(from);
    from.on('data', (bytes) => to.write(filtered(bytes)));
    from.on('error', () => to.destroy()); // the server at this end is gone: the other one learns it by the close
    from.on('close', () => {
      this.#sockets.delete(from);
      to.destroy();
    });
    if (this.#isHeld) from.pause();
  }
}

const offersDirectGets = (frame: Buffer): boolean =>
  /^RS[+-] \S+ \$JS\.API\.DIRECT\.GET\./.test(frame.toString('latin1'));

/** What servers send each other, cut into commands: the three kinds of messages end with a size and have a payload. */
class RouteFrames {
  #rest = Buffer.alloc(0);

  push(bytes: Buffer): Buffer[] {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    const frames: Buffer[] = [];
    for (;;) {
      const lineEnd = this.#rest.indexOf('\r\n');
      if (lineEnd < 0) return frames;
      const words = this.#rest.toString('latin1', 0, lineEnd).split(' ');
      const hasPayload = ['RMSG', 'HMSG', 'LMSG'].includes(words[0] ?? '');
      const end = lineEnd + 2 + (hasPayload ? Number(words.at(-1)) + 2 : 0);
      if (this.#rest.length < end) return frames;
      frames.push(this.#rest.subarray(0, end));
      this.#rest = this.#rest.subarray(end);
    }
  }
}
