import type {
  AgentDetail,
  AgentInputRequest,
  AgentsPage,
  AgentsRequest,
  AgentSummary,
  CommandRequest,
  RunCreated,
  StartAgentRequest,
  StatusAnswer,
} from '@millrace/contracts';
import type { Transport } from '../http/transport.js';
import { type CreateOptions, type RequestOptions, Requests, segment } from './request.js';

/** The agents there are: `/agents/catalogue`; and the agent dialect: `/api/agent`. */
export class AgentRoutes {
  readonly #requests: Requests;

  constructor(transport: Transport) {
    this.#requests = new Requests(transport);
  }

  /** One page, by their ids; `nextCursor` leads to the next one. */
  list(which: AgentsRequest = {}, options?: RequestOptions): Promise<AgentsPage> {
    return this.#requests.read(CATALOGUE, options, which);
  }

  /** All of them, page by page as the loop gets there. */
  async *each(which: AgentsRequest = {}, options?: RequestOptions): AsyncGenerator<AgentSummary> {
    let cursor = which.cursor;
    do {
      const page = await this.list({ ...which, cursor }, options);
      yield* page.agents;
      cursor = page.nextCursor;
    } while (cursor !== undefined);
  }

  /** What it takes, which tools it has and how it goes: in the version new runs start with, or in another one. */
  get(
    agent: string,
    { version, ...options }: RequestOptions & { readonly version?: string } = {},
  ): Promise<AgentDetail> {
    const path = `${CATALOGUE}/${segment(agent)}`;
    return this.#requests.read(version === undefined ? path : `${path}/versions/${segment(version)}`, options);
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

const CATALOGUE = '/agents/catalogue';
