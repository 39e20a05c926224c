import type { Transport } from '../http/transport.js';
import type { AgentRoutes } from '../routes/agent.routes.js';
import { segment } from '../routes/request.js';
import type { RunRoutes } from '../routes/run.routes.js';
import { FrameSetReader } from '../stream/frame-sets.js';
import { type FollowOptions, followSse } from '../stream/sse-follow.js';
import type { AgentEventConsumer } from './agent-event-consumer.js';
import { type AgentEvent, isSuspend } from './agent-events.js';
import { PendingRequests } from './pending-requests.js';

export interface AgentConnection {
  readonly transport: Transport;
  readonly agents: AgentRoutes;
  readonly runs: RunRoutes;
}

export interface SSEAgentEventSourceOptions extends FollowOptions {
  /** The last event there is already; the run's first is the next one when it is left out. */
  readonly lastEventId?: number | undefined;
}

/**
 * The events of a run on a server, handed to a consumer; what its handlers answer is sent back. Goes on over lost
 * connections, and is done after `finish`.
 */
export class SSEAgentEventSource {
  readonly requests: PendingRequests;
  readonly #over = new AbortController();

  constructor(
    private readonly connection: AgentConnection,
    readonly runId: string,
    private readonly consumer: AgentEventConsumer,
  ) {
    const { agents, runs } = connection;
    const channel = {
      isOpen: async (requestId: string, signal: AbortSignal) =>
        (await runs.get(runId, { signal })).openInputs.some((open) => open.requestId === requestId),
      post: (requestId: string, response: unknown) => agents.input(runId, { requestId, response }),
    };
    this.requests = new PendingRequests(consumer, channel, this.#over.signal);
  }

  /** Gives each event to the consumer and then out, until the run is over or the signal is aborted. */
  async *events(options: SSEAgentEventSourceOptions = {}): AsyncGenerator<AgentEvent> {
    const path = `/api/agent/${segment(this.runId)}/events`;
    const reader = new FrameSetReader({
      path,
      lastEventId: options.lastEventId ?? -1,
      parse: (_, data) => data as AgentEvent,
      isLast: ({ type }) => type === 'finish',
    });
    try {
      for await (const event of followSse(this.connection.transport, reader, options)) {
        if (isSuspend(event)) this.requests.take(event);
        else this.consumer.tell(event);
        this.requests.notice(event);
        yield event;
      }
    } finally {
      this.#over.abort(new Error('The run is no longer followed'));
    }
  }

  /** The same for who only wants the consumer to be served. Tells whether the run has finished. */
  async run(options: SSEAgentEventSourceOptions = {}): Promise<boolean> {
    let isFinished = false;
    for await (const { type } of this.events(options)) isFinished ||= type === 'finish';
    return isFinished;
  }
}
