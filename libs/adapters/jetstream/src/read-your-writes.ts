import type { RunRef } from '@millrace/contracts';
import { RunLogUnavailable } from '@millrace/ports';
import { setTimeout as pause } from 'node:timers/promises';

/** No replica that is asked lags by more than this for long; and a run that waits must not be remembered for ever. */
const KEPT_MS = 10_000;

/** Where this process knows the end of a run's history to be at least, of the runs it wrote to a moment ago. */
export class LastWritten {
  #recent = new Map<string, number>();
  /** Noted between one and two times `KEPT_MS` ago; forgotten together. */
  #older: ReadonlyMap<string, number> = new Map();
  #aging: NodeJS.Timeout | undefined;

  note({ tenantId, runId }: RunRef, streamSequence: number): void {
    this.#recent.set(`${tenantId}/${runId}`, streamSequence);
    this.#aging ??= setInterval(() => this.age(), KEPT_MS).unref();
  }

  /** 0 when nothing is known. */
  of({ tenantId, runId }: RunRef): number {
    const key = `${tenantId}/${runId}`;
    return this.#recent.get(key) ?? this.#older.get(key) ?? 0;
  }

  private age(): void {
    this.#older = this.#recent;
    this.#recent = new Map();
    if (this.#older.size > 0) return;
    clearInterval(this.#aging);
    this.#aging = undefined;
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
