import type { RunRef } from '@millrace/contracts';
import type { StorePlace } from '@millrace/ports';
import type { RunCommand, SpokenFact } from '@millrace/run-domain';
import type { Speaker } from './durable-context.js';
import type { RunHandle } from './run-handle.js';
import type { TaskJournal } from './task-journal.js';

/** Why a body is told to stop. */
export type StopReason = 'canceled' | 'ended' | 'superseded';

export class AttemptStopped extends Error {
  override readonly name = 'AbortError';

  constructor(readonly why: StopReason) {
    super(`The run or the attempt is ${why}`);
  }
}

/**
 * One attempt at a task: what it says reaches the log under its number, and is refused once a later attempt holds the
 * task. After one refusal all that follows is refused too.
 */
export class Attempt {
  readonly #stop = new AbortController();
  #failure: { readonly error: unknown } | undefined;

  constructor(
    private readonly handle: RunHandle,
    readonly speaker: Speaker,
    /** What the attempts before it did. */
    readonly journal: TaskJournal,
  ) {}

  get ref(): RunRef {
    return this.handle.ref;
  }

  /** Where the run's history ends, as far as is known here. */
  get place(): StorePlace {
    return this.handle.place;
  }

  /** Aborts when the body is to stop. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  get stoppedBy(): StopReason | undefined {
    const reason: unknown = this.signal.reason;
    return reason instanceof AttemptStopped ? reason.why : undefined;
  }

  stop(why: StopReason): void {
    this.#stop.abort(new AttemptStopped(why));
  }

  say(fact: SpokenFact): void {
    if (!this.#failure) this.handle.writer.say(fact, (error) => (this.#failure ??= { error }));
  }

  /** Rejects when it is refused, or when something said before it was. */
  async write(command: RunCommand): Promise<void> {
    this.check();
    await this.handle.writer.write(command);
    this.check();
  }

  private check(): void {
    if (this.#failure) throw this.#failure.error;
  }
}
