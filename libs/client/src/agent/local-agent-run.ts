import type { AnswerRequest } from '@millrace/contracts';
import { MillraceError } from '../errors.js';
import { newKey } from '../routes/request.js';
import type { AgentEventConsumer } from './agent-event-consumer.js';
import type { AgentEventSink } from './agent-event-sink.js';
import type { AnswerTo, NoticeEvent, SuspendEvent } from './agent-events.js';
import { type AgentOutcome, type AgentRunHandle, outcomeOf } from './agent-run-handle.js';
import { LocalAgentEventBridge } from './local-agent-event-bridge.js';
import { buildHooksFromSink, type LoopHooks } from './loop-hooks.js';
import type { Answered } from './pending-requests.js';

export interface LoopRun {
  readonly input: unknown;
  readonly sink: AgentEventSink;
  readonly hooks: LoopHooks;
  readonly signal: AbortSignal;
}
/** What it returns is the run's result. */
export type AgentLoop = (run: LoopRun) => Promise<unknown>;

type Ending = Extract<NoticeEvent, { type: 'complete' | 'error' }>;

/**
 * A loop in this process. It ends as one on a server does: with `complete` or `error`, once, and then `finish`, which is
 * always last; also when it is aborted and the loop does not listen.
 */
export class LocalAgentRun implements AgentRunHandle {
  readonly abortController = new AbortController();
  readonly started: Promise<string>;
  readonly finished: Promise<AgentOutcome>;
  readonly sink: AgentEventSink;
  readonly #bridge: LocalAgentEventBridge;
  #ending: Ending | undefined;
  #isOver = false;

  constructor(
    readonly consumer: AgentEventConsumer,
    { agent, input, loop }: { readonly agent: string; readonly input: unknown; readonly loop: AgentLoop },
  ) {
    const runId = newKey();
    const { signal } = this.abortController;
    this.#bridge = new LocalAgentEventBridge(consumer, signal);
    this.sink = { emit: (event) => this.#emit(event), suspend: (event) => this.#suspend(event) };
    this.started = Promise.resolve(runId);
    this.sink.emit({ type: 'start', runId, agent, agentVersion: 'local' });
    this.finished = this.#run(() => loop({ input, sink: this.sink, hooks: buildHooksFromSink(this.sink), signal }));
  }

  abort(reason = 'The run was aborted.'): void {
    this.abortController.abort(new RunAborted(reason));
  }

  /** Handlers answer; nothing here waits to be answered by hand. */
  async answer(_requestId: string, _response: AnswerRequest): Promise<Answered> {
    return 'elsewhere';
  }

  /** How the run ends is said when the loop has ended, whatever the loop says of it before. */
  #emit(event: NoticeEvent): void {
    if (this.#isOver || event.type === 'finish') return;
    if (event.type === 'complete' || event.type === 'error') this.#ending ??= event;
    else this.#bridge.emit(event);
  }

  #suspend<E extends SuspendEvent>(event: E): Promise<AnswerTo<E['type']>> {
    return this.#isOver ? Promise.reject(new RunAborted('The run has ended.')) : this.#bridge.suspend(event);
  }

  async #run(loop: () => Promise<unknown>): Promise<AgentOutcome> {
    const ending = await Promise.race([this.#aborted(), this.#looped(loop)]);
    this.#isOver = true;
    this.#bridge.emit(ending);
    this.#bridge.emit({ type: 'finish' });
    await this.#bridge.delivered();
    return outcomeOf(ending);
  }

  async #looped(loop: () => Promise<unknown>): Promise<Ending> {
    try {
      await Promise.resolve(); // whoever started it registers handlers first
      const result = await loop();
      return this.#ending ?? { type: 'complete', result, summary: '', sources: [], usage: NOTHING_USED };
    } catch (error) {
      return endingBy(error, this.abortController.signal);
    }
  }

  #aborted(): Promise<Ending> {
    const { signal } = this.abortController;
    return new Promise((resolve) => {
      signal.addEventListener('abort', () => resolve(endingBy(signal.reason, signal)), { once: true });
    });
  }
}

class RunAborted extends MillraceError {
  readonly code = 'CANCELED';
}

const NOTHING_USED = { inputTokens: 0, outputTokens: 0 };

const endingBy = (error: unknown, { aborted }: AbortSignal): Ending => {
  const message = error instanceof Error ? error.message : String(error);
  return { type: 'error', message, code: aborted ? 'CANCELED' : codeOf(error), aborted };
};

const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : 'LOOP_FAILED';
