import {
  type AgentEventOf,
  type AgentEventType,
  type AnswerTo,
  isSuspendType,
  type NoticeEvent,
  type NoticeType,
  type SuspendEvent,
  type SuspendType,
} from './agent-events.js';

export interface Asking {
  /** Aborted when nobody needs the answer any more: another tab gave it, it expired, the run has ended. */
  readonly signal: AbortSignal;
}
export type NoticeHandler<T extends NoticeType> = (event: AgentEventOf<T>) => unknown;
export type SuspendHandler<T extends SuspendType> = (
  event: AgentEventOf<T>,
  asking: Asking,
) => AnswerTo<T> | Promise<AnswerTo<T>>;

export type AgentEventHandlers = { readonly [T in NoticeType]?: NoticeHandler<T> } & {
  readonly [T in SuspendType]?: SuspendHandler<T>;
};

type AnyHandler = (event: never, asking: Asking) => unknown;

/**
 * Hands each event to who registered for its type. The same handlers serve a loop in this process and one on a server:
 * what differs is who tells and asks.
 */
export class AgentEventConsumer {
  readonly #handlers = new Map<AgentEventType, Set<AnyHandler>>();

  /** What a handler throws goes to `report`; by default it ends up where the platform tells of uncaught errors. */
  constructor(
    handlers: AgentEventHandlers = {},
    private readonly report: (error: unknown) => void = throwLater,
  ) {
    for (const [type, handler] of Object.entries(handlers) as [AgentEventType, AnyHandler | undefined][]) {
      if (handler) this.#add(type, handler);
    }
  }

  /** Returns what takes the handler away again. A question takes one answer and so has one handler. */
  on<T extends NoticeType>(type: T, handler: NoticeHandler<T>): () => void;
  on<T extends SuspendType>(type: T, handler: SuspendHandler<T>): () => void;
  on(type: AgentEventType, handler: AnyHandler): () => void {
    return this.#add(type, handler);
  }

  /** Neither a slow handler nor one that throws keeps the others, or the run, from going on. */
  tell(event: NoticeEvent): void {
    for (const handler of this.#handlers.get(event.type) ?? []) {
      this.run(() => (handler as NoticeHandler<NoticeType>)(event));
    }
  }

  canAnswer(type: SuspendType): boolean {
    return (this.#handlers.get(type)?.size ?? 0) > 0;
  }

  async ask<E extends SuspendEvent>(event: E, asking: Asking): Promise<AnswerTo<E['type']>> {
    const [handler] = this.#handlers.get(event.type) ?? [];
    if (!handler) throw new TypeError(`Nobody answers ${event.type}: register a handler for it`);
    return (handler as (event: E, asking: Asking) => AnswerTo<E['type']> | Promise<AnswerTo<E['type']>>)(event, asking);
  }

  /** Does it beside everything else, and reports when it fails. */
  run(work: () => unknown): void {
    void (async () => {
      try {
        await work();
      } catch (error) {
        this.report(error);
      }
    })();
  }

  #add(type: AgentEventType, handler: AnyHandler): () => void {
    const handlers = this.#handlers.get(type) ?? new Set();
    if (isSuspendType(type) && handlers.size > 0) throw new TypeError(`Somebody answers ${type} already`);
    this.#handlers.set(type, handlers.add(handler));
    return () => void handlers.delete(handler);
  }
}

const throwLater = (error: unknown): void => {
  setTimeout(() => {
    throw error;
  });
};
