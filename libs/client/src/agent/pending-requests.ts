import type { AnswerRequest } from '@millrace/contracts';
import { ApiError } from '../errors.js';
import type { AgentEventConsumer } from './agent-event-consumer.js';
import type { AgentEvent, SuspendEvent } from './agent-events.js';

/** `elsewhere`: nobody needs this answer any more. Another tab was quicker, it came too late, or the run has ended. */
export type Answered = 'accepted' | 'elsewhere';

export interface AnswerChannel {
  /** Whether the run still waits for it. */
  isOpen(requestId: string, signal: AbortSignal): Promise<boolean>;
  post(requestId: string, response: AnswerRequest): Promise<unknown>;
}

/**
 * Questions of a run on a server, answered by what the consumer's handlers return.
 *
 * I1  A question is put to a handler once, and only while the run waits for it: whoever reads a run from its beginning
 *     meets questions that were answered long ago.
 * I2  Once it is settled, by whomever, its handler's signal is aborted and its answer is not sent.
 */
export class PendingRequests {
  readonly #asked = new Map<string, AbortController>();

  constructor(
    private readonly consumer: AgentEventConsumer,
    private readonly channel: AnswerChannel,
    private readonly runSignal: AbortSignal,
  ) {}

  /** The event, and what it means for questions. A question nobody here can answer stays open for who can. */
  take(event: SuspendEvent): void {
    if (!this.consumer.canAnswer(event.type) || this.#asked.has(event.requestId)) return; // I1
    const asking = new AbortController();
    this.#asked.set(event.requestId, asking);
    const signal = AbortSignal.any([asking.signal, this.runSignal]);
    this.consumer.run(async () => {
      try {
        if (!(await this.channel.isOpen(event.requestId, signal))) return; // I1
        const response = await this.consumer.ask(event, { signal });
        if (!signal.aborted) await this.answer(event.requestId, response);
      } catch (error) {
        if (!signal.aborted) throw error; // I2: what was called off may fail as it likes
      }
    });
  }

  /** Another client's answer, or time, has settled a question. */
  notice(event: AgentEvent): void {
    if (event.type === 'functionCallUpdate' && event.requestId !== undefined && SETTLED.has(event.status)) {
      this.#asked.get(event.requestId)?.abort(new Error(`The request was ${event.status}`)); // I2
    }
  }

  async answer(requestId: string, response: AnswerRequest): Promise<Answered> {
    try {
      await this.channel.post(requestId, response);
      return 'accepted';
    } catch (error) {
      if (error instanceof ApiError && NOBODY_ASKS.has(error.code)) return 'elsewhere';
      throw error;
    }
  }
}

const SETTLED = new Set(['answered', 'expired']);
const NOBODY_ASKS = new Set(['INPUT_ALREADY_ANSWERED', 'INPUT_EXPIRED', 'RUN_ENDED']);
