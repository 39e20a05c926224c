import type {
  CommandRequest,
  CreateThreadRequest,
  NewThreadAnswer,
  PostMessageRequest,
  RunCreated,
  ThreadFrame,
  ThreadRunAnswer,
  ThreadRunStatus,
  ThreadView,
} from '@millrace/contracts';
import type { Transport } from '../http/transport.js';
import { FrameSetReader } from '../stream/frame-sets.js';
import { type FollowOptions, followSse } from '../stream/sse-follow.js';
import { type CreateOptions, type RequestOptions, Requests, segment } from './request.js';

export interface ThreadEventsOptions extends FollowOptions {
  /** The last event there is already. */
  readonly lastEventId?: number | undefined;
}

/** The thread dialect: `/api/threads`, and `/api/runs` for the runs its messages start. */
export class ThreadRoutes {
  readonly #requests: Requests;

  constructor(private readonly transport: Transport) {
    this.#requests = new Requests(transport);
  }

  create(thread: CreateThreadRequest = {}, options?: CreateOptions): Promise<NewThreadAnswer> {
    return this.#requests.create('/api/threads', thread, options);
  }

  get(threadId: string, options?: RequestOptions): Promise<ThreadView> {
    return this.#requests.read(`/api/threads/${segment(threadId)}`, options);
  }

  /** Says something, which starts one run. */
  say(threadId: string, message: PostMessageRequest, options?: CreateOptions): Promise<RunCreated> {
    return this.#requests.create(`/api/threads/${segment(threadId)}/messages`, message, options);
  }

  /** What the run says in this dialect: tokens, tools, and at last how it ended. */
  events(runId: string, options: ThreadEventsOptions = {}): AsyncGenerator<ThreadFrame> {
    const reader = new FrameSetReader({
      path: `/api/runs/${segment(runId)}/events`,
      lastEventId: options.lastEventId ?? -1,
      parse: ({ event }, data) => ({ event, data }) as ThreadFrame,
      isLast: ({ event }) => event === 'state',
    });
    return followSse(this.transport, reader, options);
  }

  run(runId: string, options?: RequestOptions): Promise<ThreadRunAnswer> {
    return this.#requests.read(`/api/runs/${segment(runId)}`, options);
  }

  cancel(runId: string, why: CommandRequest = {}, options?: RequestOptions): Promise<{ status: ThreadRunStatus }> {
    return this.#requests.order(`/api/runs/${segment(runId)}/cancel`, why, options);
  }
}
