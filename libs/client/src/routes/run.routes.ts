import type {
  AnswerRequest,
  CommandRequest,
  CreateRunRequest,
  DoneRequest,
  EventsPageAnswer,
  EventsRequest,
  RetryCreated,
  RetryRequest,
  RunCreated,
  RunDetail,
  RunImprovement,
  RunLogsAnswer,
  RunMessagesAnswer,
  RunsPage,
  RunsRequest,
  RunStepsAnswer,
  RunSummary,
  RunTrailAnswer,
  StatusAnswer,
  StreamTicketAnswer,
} from '@millrace/contracts';
import type { Transport } from '../http/transport.js';
import type { PublicEvent } from '@millrace/contracts';
import { streamRun, type StreamRunOptions } from '../stream/run-stream.js';
import { type CreateOptions, type RequestOptions, Requests, segment } from './request.js';

/** As many as one answer to a gap brings. */
const GAP_PAGE = 100;

/** The native dialect: `/agents/runs`. */
export class RunRoutes {
  readonly #requests: Requests;

  constructor(private readonly transport: Transport) {
    this.#requests = new Requests(transport);
  }

  create(order: CreateRunRequest, options?: CreateOptions): Promise<RunCreated> {
    return this.#requests.create('/agents/runs', order, options);
  }

  /** One page, the newest first; `nextCursor` leads to the next one. */
  list(which: RunsRequest = {}, options?: RequestOptions): Promise<RunsPage> {
    return this.#requests.read('/agents/runs', options, which);
  }

  /** All of them, page by page as the loop gets there. */
  async *each(which: RunsRequest = {}, options?: RequestOptions): AsyncGenerator<RunSummary> {
    let cursor = which.cursor;
    do {
      const page = await this.list({ ...which, cursor }, options);
      yield* page.runs;
      cursor = page.nextCursor;
    } while (cursor !== undefined);
  }

  get(runId: string, options?: RequestOptions): Promise<RunDetail> {
    return this.#requests.read(run(runId), options);
  }

  /** A page of public events, for who cannot hold a stream open. */
  events(runId: string, page: EventsRequest = {}, options?: RequestOptions): Promise<EventsPageAnswer> {
    return this.#requests.read(run(runId, 'events'), options, page);
  }

  /** Its public events as they happen, from any one on, until the run has ended. */
  stream(runId: string, options?: StreamRunOptions): AsyncGenerator<PublicEvent> {
    const path = run(runId, 'stream');
    const backfill = (fromSeq: number, signal?: AbortSignal) =>
      this.events(runId, { fromSeq, limit: GAP_PAGE }, { signal });
    return streamRun({ transport: this.transport, path, backfill }, options);
  }

  steps(runId: string, options?: RequestOptions): Promise<RunStepsAnswer> {
    return this.#requests.read(run(runId, 'steps'), options);
  }

  messages(runId: string, options?: RequestOptions): Promise<RunMessagesAnswer> {
    return this.#requests.read(run(runId, 'messages'), options);
  }

  /** What happened, in lines. */
  trail(runId: string, options?: RequestOptions): Promise<RunTrailAnswer> {
    return this.#requests.read(run(runId, 'trail'), options);
  }

  logs(runId: string, options?: RequestOptions): Promise<RunLogsAnswer> {
    return this.#requests.read(run(runId, 'logs'), options);
  }

  /** What somebody who is to do better has to know of the run: short, whatever its length. */
  improvement(runId: string, options?: RequestOptions): Promise<RunImprovement> {
    return this.#requests.read(run(runId, 'improvement'), options);
  }

  /** For a native `EventSource`, which cannot set headers: good for one run and one connection, for about a minute. */
  streamTicket(runId: string, options?: RequestOptions): Promise<StreamTicketAnswer> {
    return this.#requests.order(run(runId, 'stream-ticket'), undefined, options);
  }

  /** The address such an `EventSource` is made with. */
  async ticketedUrl(runId: string, { fromSeq, ...options }: RequestOptions & { readonly fromSeq?: number } = {}) {
    const { ticket } = await this.streamTicket(runId, options);
    return this.transport.streamAddress(run(runId, 'stream'), { ticket, fromSeq });
  }

  cancel(runId: string, why: CommandRequest = {}, options?: RequestOptions): Promise<StatusAnswer> {
    return this.#requests.order(run(runId, 'cancel'), why, options);
  }

  pause(runId: string, why: CommandRequest = {}, options?: RequestOptions): Promise<StatusAnswer> {
    return this.#requests.order(run(runId, 'pause'), why, options);
  }

  resume(runId: string, why: CommandRequest = {}, options?: RequestOptions): Promise<StatusAnswer> {
    return this.#requests.order(run(runId, 'resume'), why, options);
  }

  /**
   * Answers what the run waits for. Only the first answer counts: `INPUT_ALREADY_ANSWERED` for every other, and also
   * when this very answer was stored but the server's word of it was lost.
   */
  answer(runId: string, requestId: string, response: AnswerRequest, options?: RequestOptions): Promise<StatusAnswer> {
    return this.#requests.order(run(runId, 'inputs', requestId), { response }, options);
  }

  /** The goal is reached, whatever its nodes still do. */
  done(runId: string, note: DoneRequest = {}, options?: RequestOptions): Promise<StatusAnswer> {
    return this.#requests.order(run(runId, 'done'), note, options);
  }

  /** A new run in the place of one that has ended; it waits until the improving run has ended. */
  retry(runId: string, note: RetryRequest = {}, options?: CreateOptions): Promise<RetryCreated> {
    return this.#requests.create(run(runId, 'retry'), note, options);
  }
}

const run = (...path: string[]): string => ['/agents/runs', ...path.map(segment)].join('/');
