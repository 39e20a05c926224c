import type { RunRef } from '@millrace/contracts';
import { PlatformError } from '@millrace/kernel';
import type { Clock } from '@millrace/ports';

/** What becomes of work on a run that failed. */
export type Verdict =
  /** `isNews` when it failed for another reason than before. */
  { readonly kind: 'again'; readonly afterMs: number; readonly isNews: boolean } | { readonly kind: 'give up' };

interface Trouble {
  readonly failures: number;
  readonly dueAt: number;
  readonly reason: string;
}

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 30_000;
/** An error we do not understand may pass: but not for ever. */
const MOST_UNKNOWN = 5;

/**
 * Runs a loop could not serve, and when it tries each of them again: the loop itself goes on with the others. What an
 * error of ours says will pass (the store is away) is tried for ever, ever more rarely; what it says will not pass is given
 * up at once, and what we do not understand after a few times.
 */
export class Troubles {
  readonly #troubles = new Map<string, Trouble>();

  constructor(private readonly clock: Clock) {}

  failed({ runId }: Pick<RunRef, 'runId'>, error: unknown): Verdict {
    const before = this.#troubles.get(runId);
    const failures = (before?.failures ?? 0) + 1;
    const isKnown = error instanceof PlatformError;
    if (isKnown ? error.redelivery === 'park' : failures > MOST_UNKNOWN) {
      this.#troubles.delete(runId);
      return { kind: 'give up' };
    }
    const afterMs = Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS);
    const reason = String(error);
    this.#troubles.set(runId, { failures, dueAt: this.clock.now().getTime() + afterMs, reason });
    return { kind: 'again', afterMs, isNews: reason !== before?.reason };
  }

  over({ runId }: Pick<RunRef, 'runId'>): void {
    this.#troubles.delete(runId);
  }

  isDue({ runId }: Pick<RunRef, 'runId'>): boolean {
    return (this.#troubles.get(runId)?.dueAt ?? 0) <= this.clock.now().getTime();
  }

  failuresOf({ runId }: Pick<RunRef, 'runId'>): number {
    return this.#troubles.get(runId)?.failures ?? 0;
  }

  /** Until the next of them is due; undefined when there is none. */
  get nextInMs(): number | undefined {
    const now = this.clock.now().getTime();
    let next: number | undefined;
    for (const { dueAt } of this.#troubles.values()) if (dueAt > now) next = Math.min(next ?? Infinity, dueAt - now);
    return next;
  }
}
