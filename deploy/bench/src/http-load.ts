import { Agent, request } from 'node:http';
import { now } from './stopwatch.js';

/** Posts the same body over and over, on connections that stay open. */
export class HttpLoad {
  readonly #agent = new Agent({ keepAlive: true });
  readonly #body: Buffer;

  constructor(
    private readonly url: string,
    private readonly headers: Readonly<Record<string, string>>,
    body: unknown,
  ) {
    this.#body = Buffer.from(JSON.stringify(body));
  }

  /** How long each took, in ms. */
  async post(count: number, atOnce: number): Promise<number[]> {
    const times: number[] = [];
    let left = count;
    const lane = async () => {
      while (left > 0) {
        left -= 1;
        const begun = now();
        await this.#one();
        times.push(now() - begun);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, lane));
    return times;
  }

  close(): void {
    this.#agent.destroy();
  }

  #one(): Promise<void> {
    return new Promise((resolve, reject) => {
      const headers = { ...this.headers, 'content-type': 'application/json', 'content-length': this.#body.length };
      const sent = request(this.url, { method: 'POST', agent: this.#agent, headers }, (answer) => {
        answer.resume();
        answer.once('end', () =>
          answer.statusCode === 201 ? resolve() : reject(new Error(`${this.url} answered ${answer.statusCode}`)),
        );
      });
      sent.once('error', reject);
      sent.end(this.#body);
    });
  }
}
