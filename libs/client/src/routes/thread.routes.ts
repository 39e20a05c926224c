import type {
  CommandRequest,
  CreateThreadRequest,
  NewThreadAnswer,
  PostMessageRequest,
  RunCreated,
  ThreadRunAnswer,
  ThreadRunStatus,
  ThreadView,
} from '@millrace/contracts';
import type { Transport } from '../http/transport.js';
import { type CreateOptions, type RequestOptions, Requests, segment } from './request.js';

/** The thread dialect: `/api/threads`, and `/api/runs` for the runs its messages start. */
export class ThreadRoutes {
  readonly #requests: Requests;

  constructor(transport: Transport) {
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

  run(runId: string, options?: RequestOptions): Promise<ThreadRunAnswer> {
    return this.#requests.read(`/api/runs/${segment(runId)}`, options);
  }

  cancel(runId: string, why: CommandRequest = {}, options?: RequestOptions): Promise<{ status: ThreadRunStatus }> {
    return this.#requests.order(`/api/runs/${segment(runId)}/cancel`, why, options);
  }
}
