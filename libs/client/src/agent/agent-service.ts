import { type ClientOptions, connect } from '../connect.js';
import { AgentEventConsumer, type AgentEventHandlers } from './agent-event-consumer.js';
import type { AgentRunHandle } from './agent-run-handle.js';
import { type AgentLoop, LocalAgentRun } from './local-agent-run.js';
import type { AgentConnection, SSEAgentEventSourceOptions } from './sse-agent-event-source.js';
import { SSEAgentRun } from './sse-agent-run.js';

export interface AgentOrder {
  readonly agent: string;
  readonly input?: unknown;
  /** Also `handle.consumer.on(…)`, right after the run was started. */
  readonly handlers?: AgentEventHandlers | undefined;
}

/**
 * Starts runs and knows those that are under way. Loops of this process until it is told of a server; handlers and
 * handles are the same for both.
 */
export class AgentService {
  readonly #runs = new Set<AgentRunHandle>();
  #remote: AgentConnection | undefined;

  constructor(private readonly loops: Readonly<Record<string, AgentLoop>> = {}) {}

  get runs(): ReadonlySet<AgentRunHandle> {
    return this.#runs;
  }

  /** From here on runs are started on that server. */
  configureRemote(
    baseUrl: string,
    fetchFn?: typeof globalThis.fetch,
    options: Omit<ClientOptions, 'baseUrl' | 'fetch'> = {},
  ): void {
    this.#remote = connect({ ...options, baseUrl, fetch: fetchFn });
  }

  startRun(order: AgentOrder): AgentRunHandle {
    const consumer = new AgentEventConsumer(order.handlers);
    return this.#keep(this.#remote ? this.#begin(this.#remote, order, consumer) : this.#runHere(order, consumer));
  }

  /** A run that was started elsewhere, or before the page was loaded again: read from its beginning, or after an event. */
  attachRun(
    runId: string,
    { handlers, ...options }: Omit<SSEAgentEventSourceOptions, 'signal'> & Pick<AgentOrder, 'handlers'> = {},
  ): SSEAgentRun {
    if (!this.#remote) throw new TypeError('There is no server to attach to: call configureRemote first');
    const consumer = new AgentEventConsumer(handlers);
    return this.#keep(new SSEAgentRun(this.#remote, consumer, Promise.resolve(runId), options));
  }

  #begin(remote: AgentConnection, { agent, input }: AgentOrder, consumer: AgentEventConsumer): SSEAgentRun {
    const order = { agent, ...(input === undefined ? {} : { input }) };
    return new SSEAgentRun(
      remote,
      consumer,
      remote.agents.start(order).then(({ runId }) => runId),
    );
  }

  #runHere({ agent, input }: AgentOrder, consumer: AgentEventConsumer): LocalAgentRun {
    const loop = Object.hasOwn(this.loops, agent) ? this.loops[agent] : undefined;
    if (!loop) {
      const known = Object.keys(this.loops).join(', ') || 'none';
      throw new TypeError(`No agent "${agent}" runs here (${known} do), and no server is configured`);
    }
    return new LocalAgentRun(consumer, { agent, input, loop });
  }

  #keep<R extends AgentRunHandle>(run: R): R {
    this.#runs.add(run);
    const forget = () => void this.#runs.delete(run);
    run.finished.then(forget, forget);
    return run;
  }
}
