import type { AnswerTo, NoticeEvent, SuspendEvent } from './agent-events.js';

/** What an agent's loop writes to, wherever it runs and whoever listens. */
export interface AgentEventSink {
  /** Tells, and does not wait: not even for handlers. */
  emit(event: NoticeEvent): void;
  /** Asks, and waits for the answer. Rejects when the run is aborted meanwhile. */
  suspend<E extends SuspendEvent>(event: E): Promise<AnswerTo<E['type']>>;
}
