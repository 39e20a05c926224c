import { Agent } from 'node:http';
import { post } from './http-post.js';
import { inLanes } from './lanes.js';
import { timed } from './stopwatch.js';

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
    const { url, headers } = this;
    const times: number[] = [];
    await inLanes(atOnce, count, async () => {
      times.push(await timed(() => post({ url, headers, agent: this.#agent, body: this.#body })));
    });
    return times;
  }

  close(): void {
    this.#agent.destroy();
  }
}
