import { InputRequest, type RequestId, type RunId, type TaskKey } from '@millrace/contracts';
import type { NodeInterrupt, NodeRun } from '@millrace/ports';
import { stableRequestId } from './stable-id.js';
import type { TaskJournal } from './task-journal.js';

/** What lies in the log of one wait for interrupts: how the graph goes on, and its own ids by ours. */
export interface KeptInterrupts {
  readonly state: string;
  readonly ids: Readonly<Record<string, string>>;
}

export interface AskedInterrupt {
  readonly requestId: RequestId;
  readonly request: InputRequest;
}

/**
 * The waits of one task for interrupts of its graph, one after the other. They are numbered by the log, not by the
 * attempt: a worker that died in the middle of asking is followed by one that asks the same under the same ids.
 */
export class Interrupts {
  readonly #answered: readonly KeptInterrupts[];

  constructor(private readonly journal: TaskJournal) {
    const waits: KeptInterrupts[] = [];
    for (let kept = this.kept(0); kept && this.isAnswered(kept); kept = this.kept(waits.length)) waits.push(kept);
    this.#answered = waits;
  }

  /** Under which the next wait is kept. */
  get key(): string {
    return keyOf(this.#answered.length);
  }

  /** The last wait that is over, with its answers; what was asked for and not answered yet is asked for again. */
  get resume(): NodeRun['resume'] {
    const last = this.#answered.at(-1);
    if (!last) return undefined;
    const answers = Object.entries(last.ids).map(([requestId, id]) => [id, this.answerTo(requestId as RequestId)]);
    return { state: last.state, answers: Object.fromEntries(answers) as Record<string, unknown> };
  }

  ask(
    runId: RunId,
    taskKey: TaskKey,
    interrupts: readonly NodeInterrupt[],
  ): readonly (AskedInterrupt & NodeInterrupt)[] {
    const wait = this.#answered.length;
    return interrupts.map((interrupt, at) => ({
      ...interrupt,
      requestId: stableRequestId(runId, taskKey, 'interrupt', wait, at),
      request: requestOf(interrupt.value),
    }));
  }

  private kept(wait: number): KeptInterrupts | undefined {
    return this.journal.effect(keyOf(wait))?.value as KeptInterrupts | undefined;
  }

  private isAnswered({ ids }: KeptInterrupts): boolean {
    return Object.keys(ids).every((requestId) => this.journal.answer(requestId as RequestId)?.kind === 'answered');
  }

  private answerTo(requestId: RequestId): unknown {
    const answer = this.journal.answer(requestId);
    return answer?.kind === 'answered' ? answerOf(answer.response) : undefined;
  }
}

const keyOf = (wait: number): string => `$interrupts/${wait}`;

/** What a graph asks for in its own words is a question with an open answer. */
const requestOf = (value: unknown): InputRequest => {
  const typed = InputRequest.safeParse(value);
  if (typed.success) return typed.data;
  return { type: 'waitForInput', prompt: typeof value === 'string' ? value : JSON.stringify(value) };
};

/** `value` is what the graph's author wants back from interrupt(); a plain text answers a plain question. */
const answerOf = (response: unknown): unknown => {
  if (typeof response !== 'object' || response === null) return response;
  if ('value' in response) return response.value;
  return 'text' in response && Object.keys(response).length === 1 ? response.text : response;
};
