import { RunId, type TenantId } from '@millrace/contracts';
import { Agent } from 'node:http';
import { tokenFor } from './bench-caller.js';
import { post } from './http-post.js';
import { SseListener } from './sse-listener.js';
import { now } from './stopwatch.js';

/** What a client of the platform does: posts runs over HTTP and follows them over SSE, in the native dialect. */
export class StackClient {
  readonly #connections = new Agent({ keepAlive: true });

  private constructor(
    private readonly apiUrl: string,
    private readonly streamUrl: string,
    private readonly token: string,
  ) {}

  static async of(apiUrl: string, streamUrl: string, tenantId: TenantId): Promise<StackClient> {
    return new StackClient(apiUrl, streamUrl, await tokenFor(tenantId));
  }

  async request(agent: string, input: unknown): Promise<RunId> {
    const answer = await post({
      url: `${this.apiUrl}/agents/runs`,
      agent: this.#connections,
      headers: { authorization: `Bearer ${this.token}` },
      body: Buffer.from(JSON.stringify({ agent, appId: 'bench', policy: 'default', input })),
    });
    return RunId.parse((JSON.parse(answer) as { runId: string }).runId);
  }

  listen(runId: RunId, onFrame?: (block: string) => void): Promise<SseListener> {
    const listener = new SseListener(this.#connections);
    listener.onFrame = onFrame;
    return listener.open(`${this.streamUrl}/agents/runs/${runId}/stream`, this.token);
  }

  /** From the request to the terminal frame, in ms. Rejects unless the run finishes. */
  async play(agent: string, input: unknown, onFrame?: (block: string) => void): Promise<number> {
    const begun = now();
    await this.follow(await this.request(agent, input), onFrame);
    return now() - begun;
  }

  /** Resolves with the terminal frame. */
  follow(runId: RunId, onFrame?: (block: string) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const take = (block: string) => {
        onFrame?.(block);
        const [, ending] = TERMINAL.exec(block) ?? [];
        if (ending === 'RunFinished') resolve();
        else if (ending !== undefined) reject(new Error(`Run ${runId} did not finish: ${block}`));
      };
      this.listen(runId, take)
        .then((listener) => listener.ended)
        .then(() => reject(new Error(`The stream of run ${runId} ended before the run`)), reject);
    });
  }

  close(): void {
    this.#connections.destroy();
  }
}

const TERMINAL = /"kind":"(RunFinished|RunFailed|RunCanceled)"/;
