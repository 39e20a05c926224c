import type { RunEvent, RunRef } from '@millrace/contracts';
import { advance, EMPTY_TAIL, type Tail } from '@millrace/ports';

/** A run's whole history up to `tail`. */
export interface FedRun {
  readonly events: readonly RunEvent[];
  readonly tail: Tail;
}

const MOST_RUNS = 64;
/** A longer request is read from the log when its run starts. */
const MOST_TEXT = 16 * 1024;

/**
 * The requests that the feed has just brought: so that a run that starts at once is not read first.
 *
 * I1  A run whose next event was fed is forgotten, and read when it starts; also one that was told to wait, since waiting
 *     holds no memory. What was not fed yet shows when something is appended behind it.
 */
export class FedRuns {
  readonly #runs = new Map<string, FedRun>();

  evolve(event: RunEvent, streamSequence: number): void {
    this.#runs.delete(event.runId);
    if (event.kind !== 'RunRequested' || event.position !== 0 || !isShort(event)) return;
    this.#runs.set(event.runId, { events: [event], tail: advance(EMPTY_TAIL, event, streamSequence) });
    if (this.#runs.size > MOST_RUNS) this.#runs.delete(this.#runs.keys().next().value!);
  }

  of({ runId }: RunRef): FedRun | undefined {
    return this.#runs.get(runId);
  }
}

const isShort = ({ input, seedState }: Extract<RunEvent, { kind: 'RunRequested' }>): boolean =>
  JSON.stringify([input, seedState]).length <= MOST_TEXT;
