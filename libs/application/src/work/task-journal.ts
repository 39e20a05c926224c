import type { RequestId, RunEvent, RunFactOf, TaskKey } from '@millrace/contracts';
import { SaidSoFar } from './said-before.js';

export type Answer =
  { readonly kind: 'answered'; readonly response: unknown } | { readonly kind: 'expired' } | { readonly kind: 'open' };

/**
 * What earlier attempts at a task have done: given to the next one instead of being done again. Folded from the run's
 * events; those of other tasks leave no trace.
 */
export class TaskJournal {
  readonly #effects = new Map<string, unknown>();
  readonly #models = new Map<string, RunFactOf<'ModelResponded'>>();
  readonly #tools = new Map<string, RunFactOf<'ToolFinished'>>();
  readonly #requests = new Map<RequestId, RunFactOf<'InputRequested'>>();
  readonly #answers = new Map<RequestId, Answer>();
  /** The last attempt that failed; those before it that did not fail themselves have been passed on to it. */
  #lastFailed = 0;
  /** What the attempts that still stand have said, for one that continues them after a wait. */
  #said = new SaidSoFar();

  constructor(private readonly key: TaskKey) {}

  static of(key: TaskKey, events: Iterable<RunEvent>): TaskJournal {
    const journal = new TaskJournal(key);
    for (const event of events) journal.evolve(event);
    return journal;
  }

  evolve(event: RunEvent): void {
    if (event.kind === 'InputProvided' && this.#requests.has(event.requestId)) {
      this.#answers.set(event.requestId, { kind: 'answered', response: event.response });
    } else if (event.kind === 'InputExpired' && this.#requests.has(event.requestId)) {
      this.#answers.set(event.requestId, { kind: 'expired' });
    } else if ('taskKey' in event && event.taskKey === this.key) {
      this.evolveOwn(event);
    }
  }

  /** Wrapped, so that a recorded undefined is told from nothing recorded. */
  effect(key: string): { readonly value: unknown } | undefined {
    return this.#effects.has(key) ? { value: this.#effects.get(key) } : undefined;
  }

  model(callId: string): RunFactOf<'ModelResponded'> | undefined {
    return this.#models.get(callId);
  }

  /**
   * A failure is forgotten once an attempt that knew of it has failed: the attempt after that is there to do better. The
   * tool may have been called by one before, whose worker died.
   */
  tool(toolUseId: string): RunFactOf<'ToolFinished'> | undefined {
    const finished = this.#tools.get(toolUseId);
    return finished && !finished.ok && finished.attempt <= this.#lastFailed ? undefined : finished;
  }

  wasTried(toolUseId: string): boolean {
    return this.#tools.has(toolUseId);
  }

  request(requestId: RequestId): RunFactOf<'InputRequested'> | undefined {
    return this.#requests.get(requestId);
  }

  answer(requestId: RequestId): Answer | undefined {
    return this.#requests.has(requestId) ? (this.#answers.get(requestId) ?? { kind: 'open' }) : undefined;
  }

  get requestIds(): RequestId[] {
    return [...this.#requests.keys()];
  }

  get said(): SaidSoFar {
    return this.#said;
  }

  private evolveOwn(event: Extract<RunEvent, { taskKey: TaskKey }>): void {
    switch (event.kind) {
      case 'NodeStarted':
        if (event.continues !== true) this.#said = new SaidSoFar();
        return;
      case 'NodeRetryScheduled':
        this.#lastFailed = event.attempt;
        return;
      case 'EffectRecorded':
        this.#effects.set(event.key, event.value);
        return;
      case 'ModelResponded':
        this.#models.set(event.callId, event);
        return;
      case 'ToolFinished':
        this.#tools.set(event.toolUseId, event);
        return;
      case 'InputRequested':
        this.#requests.set(event.requestId, event);
        return;
      case 'TokenDelta':
      case 'ThoughtDelta':
      case 'MessageAdded':
      case 'SubagentProgressed':
      case 'SubagentFailed':
      case 'SubagentFinished':
      case 'SpecialistFinished':
      case 'GraphEdited':
      case 'LogWritten':
      case 'ProgressReported':
      case 'AgentChanged':
        this.#said.add(event);
        return;
      case 'NodeFinished':
      case 'NodeSuspended':
      case 'ModelRequested':
      case 'ToolRequested':
      case 'ToolProgressed':
      case 'PolicySwitched':
        return;
    }
  }
}
