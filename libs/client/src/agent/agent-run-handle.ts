import type { AnswerRequest } from '@millrace/contracts';
import type { AgentEventConsumer } from './agent-event-consumer.js';
import type { AgentEventOf } from './agent-events.js';
import type { Answered } from './pending-requests.js';

export type AgentOutcome =
  | { readonly status: 'complete'; readonly result: unknown }
  | { readonly status: 'error'; readonly code: string; readonly message: string; readonly aborted: boolean }
  /** Nobody follows it from here any more; the run itself goes on. */
  | { readonly status: 'detached' };

/** A run that was started here, wherever its loop runs. Two runs share nothing. */
export interface AgentRunHandle {
  readonly consumer: AgentEventConsumer;
  /** Aborting it asks the run to stop; `finished` tells when it has. */
  readonly abortController: AbortController;
  /** Its id, once it has one. */
  readonly started: Promise<string>;
  /** How it ended. Rejects when that cannot be known: it could not be started, or can no longer be followed. */
  readonly finished: Promise<AgentOutcome>;
  abort(reason?: string): void;
  /** Answers a request by hand, e.g. the approval of a tool. */
  answer(requestId: string, response: AnswerRequest): Promise<Answered>;
}

export const outcomeOf = (event: AgentEventOf<'complete' | 'error'>): AgentOutcome => {
  if (event.type === 'complete') return { status: 'complete', result: event.result };
  const { code, message, aborted } = event;
  return { status: 'error', code, message, aborted };
};
