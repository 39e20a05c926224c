import type {
  AgentInputRequest,
  CommandRequest,
  RunCreated,
  StartAgentRequest,
  StatusAnswer,
} from '@millrace/contracts';
import type { Transport } from '../http/transport.js';
import { type CreateOptions, type RequestOptions, Requests, segment } from './request.js';

/** The agent dialect: `/api/agent`. */
export class AgentRoutes {
  readonly #requests: Requests;

  constructor(transport: Transport) {
    this.#requests = new Requests(transport);
  }

  start(order: StartAgentRequest, options?: CreateOptions): Promise<RunCreated> {
    return this.#requests.create('/api/agent/run', order, options);
  }

  input(runId: string, answer: AgentInputRequest, options?: RequestOptions): Promise<StatusAnswer> {
    return this.#requests.order(`/api/agent/${segment(runId)}/input`, answer, options);
  }

  abort(runId: string, why: CommandRequest = {}, options?: RequestOptions): Promise<StatusAnswer> {
    return this.#requests.order(`/api/agent/${segment(runId)}/abort`, why, options);
  }
}
