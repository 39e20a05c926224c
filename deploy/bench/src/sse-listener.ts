import { type Agent, type ClientRequest, get, type IncomingMessage } from 'node:http';

/** A client that does as little as one can: counts events, and hands on their text when somebody wants it. */
export class SseListener {
  /** Ids heard so far. */
  count = 0;
  lastId = -1;
  isEnded = false;
  /** Resolves when the stream has ended, on either side. */
  readonly ended: Promise<void>;
  onFrame: ((data: string) => void) | undefined;
  #rest = '';
  #changed: () => void = () => {};
  #request: ClientRequest | undefined;
  #end: () => void = () => {};

  /** Without an agent each stream has a connection of its own. */
  constructor(private readonly agent: Agent | false = false) {
    this.ended = new Promise((resolve) => (this.#end = resolve));
  }

  /** Resolves with the first byte. */
  open(url: string, token: string, lastEventId?: number): Promise<this> {
    return new Promise((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${token}`,
        ...(lastEventId === undefined ? {} : { 'last-event-id': String(lastEventId) }),
      };
      this.#request = get(url, { headers, agent: this.agent }, (response: IncomingMessage) => {
        if (response.statusCode !== 200) reject(new Error(`${url} answered ${response.statusCode}`));
        response.setEncoding('utf8');
        response.on('data', (text: string) => {
          this.take(text);
          resolve(this);
        });
        response.on('close', () => {
          this.isEnded = true;
          this.#end();
          this.#changed();
        });
      });
      this.#request.on('error', reject);
    });
  }

  close(): void {
    this.#request?.destroy();
  }

  /** Waits until it has heard the event, or the stream has ended. */
  async heard(id: number): Promise<void> {
    while (this.lastId < id && !this.isEnded) await new Promise<void>((resolve) => (this.#changed = resolve));
  }

  private take(text: string): void {
    const blocks = (this.#rest + text).split('\n\n');
    this.#rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const [, id] = /^id: (\d+)$/m.exec(block) ?? [];
      if (id === undefined) continue;
      this.count += 1;
      this.lastId = Number(id);
      this.onFrame?.(block);
    }
    this.#changed();
  }
}
