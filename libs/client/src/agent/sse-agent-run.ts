import type { AnswerRequest } from '@millrace/contracts';
import { StreamBroken } from '../errors.js';
import type { AgentEventConsumer } from './agent-event-consumer.js';
import { type AgentOutcome, type AgentRunHandle, outcomeOf } from './agent-run-handle.js';
import type { Answered } from './pending-requests.js';
import {
  type AgentConnection,
  SSEAgentEventSource,
  type SSEAgentEventSourceOptions,
} from './sse-agent-event-source.js';

/** A loop on a server, followed from here. It goes on there when nobody follows it. */
export class SSEAgentRun implements AgentRunHandle {
  readonly abortController = new AbortController();
  readonly finished: Promise<AgentOutcome>;
  readonly #detached = new AbortController();
  readonly #source: Promise<SSEAgentEventSource>;

  constructor(
    private readonly connection: AgentConnection,
    readonly consumer: AgentEventConsumer,
    readonly started: Promise<string>,
    options: Omit<SSEAgentEventSourceOptions, 'signal'> = {},
  ) {
    this.#source = started.then((runId) => new SSEAgentEventSource(connection, runId, consumer));
    this.finished = this.#follow(options);
    this.#source.catch(() => undefined); // `finished` tells the same
    this.abortController.signal.addEventListener('abort', () => consumer.run(() => this.#stop()), { once: true });
  }

  abort(reason?: string): void {
    this.abortController.abort(reason);
  }

  async answer(requestId: string, response: AnswerRequest): Promise<Answered> {
    return (await this.#source).requests.answer(requestId, response);
  }

  /** Stops following. The run goes on, and can be attached to again. */
  detach(): void {
    this.#detached.abort();
  }

  async #follow(options: Omit<SSEAgentEventSourceOptions, 'signal'>): Promise<AgentOutcome> {
    const source = await this.#source;
    let outcome: AgentOutcome | undefined;
    for await (const event of source.events({ ...options, signal: this.#detached.signal })) {
      if (event.type === 'complete' || event.type === 'error') outcome = outcomeOf(event);
    }
    if (outcome) return outcome;
    if (this.#detached.signal.aborted) return { status: 'detached' };
    throw new StreamBroken(`Nothing follows in run ${source.runId}, and it was not said how it ended`);
  }

  /** The server ends the run, and the stream tells when it has. */
  async #stop(): Promise<void> {
    const reason: unknown = this.abortController.signal.reason;
    const runId = await this.started.catch(() => undefined); // what never began need not be stopped; `finished` tells why
    if (runId !== undefined) await this.connection.agents.abort(runId, typeof reason === 'string' ? { reason } : {});
  }
}
