import type { RunRef } from '@millrace/contracts';
import { RunLogUnavailable } from '@millrace/ports';
import { setTimeout as pause } from 'node:timers/promises';

const MOST_RUNS = 10_000;

/** Where this process knows the end of a run's history to be at least; of the runs it wrote to lately. */
export class LastWritten {
  readonly #sequences = new Map<string, number>();

  note({ tenantId, runId }: RunRef, streamSequence: number): void {
    const key = `${tenantId}/${runId}`;
    this.#sequences.delete(key);
    this.#sequences.set(key, streamSequence);
    const [oldest] = this.#sequences.keys();
    if (this.#sequences.size > MOST_RUNS && oldest !== undefined) this.#sequences.delete(oldest);
  }

  /** 0 when nothing is known. */
  of({ tenantId, runId }: RunRef): number {
    return this.#sequences.get(`${tenantId}/${runId}`) ?? 0;
  }
}

const PAUSE_MS = 10;
const LONGEST_MS = 5_000;

/** Waits for a replica that lags behind. An unreplicated stream never does. */
export class Patience {
  readonly #deadline = performance.now() + LONGEST_MS;
  #reached: number;

  constructor(
    private readonly run: RunRef,
    private readonly known: number,
    reached: number,
  ) {
    this.#reached = reached;
  }

  /** Where reading must go on, after a moment; undefined when all that is known was read. */
  async missingAfter(streamSequence: number | undefined): Promise<number | undefined> {
    this.#reached = Math.max(this.#reached, streamSequence ?? 0);
    if (this.#reached >= this.known) return undefined;
    if (performance.now() > this.#deadline) {
      throw new RunLogUnavailable(`Run ${this.run.runId}: no replica has its last events`);
    }
    await pause(PAUSE_MS);
    return this.#reached + 1;
  }
}
