import type { AgentEventConsumer } from './agent-event-consumer.js';
import type { AgentEventSink } from './agent-event-sink.js';
import type { AnswerTo, NoticeEvent, SuspendEvent } from './agent-events.js';

/**
 * The sink of a loop that runs in this process. The consumer gets what the loop says in the same order, never inside
 * the loop's own call, so that it cannot hold the loop up or see it half way through a step.
 */
export class LocalAgentEventBridge implements AgentEventSink {
  readonly #queue: (() => void)[] = [];
  #isDraining = false;

  constructor(
    private readonly consumer: AgentEventConsumer,
    private readonly signal: AbortSignal,
  ) {}

  emit(event: NoticeEvent): void {
    this.#later(() => this.consumer.tell(event));
  }

  suspend<E extends SuspendEvent>(event: E): Promise<AnswerTo<E['type']>> {
    const { signal } = this;
    return new Promise((resolve, reject) => {
      const stop = () => reject(signal.reason as Error);
      if (signal.aborted) return stop();
      signal.addEventListener('abort', stop, { once: true });
      const done = () => signal.removeEventListener('abort', stop);
      this.#later(() => void this.consumer.ask(event, { signal }).then(resolve, reject).finally(done));
    });
  }

  /** Resolves once all that was said so far has been handed over. */
  delivered(): Promise<void> {
    return new Promise((resolve) => this.#later(resolve));
  }

  #later(deliver: () => void): void {
    this.#queue.push(deliver);
    if (this.#isDraining) return;
    this.#isDraining = true;
    queueMicrotask(() => {
      for (let next = this.#queue.shift(); next; next = this.#queue.shift()) next();
      this.#isDraining = false;
    });
  }
}
