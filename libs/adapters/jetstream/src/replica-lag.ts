import type { RunRef } from '@millrace/contracts';
import { StoreUnavailable } from '@millrace/ports';
import { setTimeout as pause } from 'node:timers/promises';

/** No replica that is asked lags by more than this for long; and a run that waits must not be remembered for ever. */
const KEPT_MS = 10_000;

/** Where this process knows the end of a run's history to be at least, of the runs it wrote to a moment ago. */
export class LastWritten {
  #recent = new Map<string, number>();
  /** Noted between one and two times `KEPT_MS` ago; forgotten together. */
  #older: ReadonlyMap<string, number> = new Map();
  #aging: NodeJS.Timeout | undefined;

  note(run: RunRef, streamSequence: number): void {
    this.#recent.set(`${run.tenantId}/${run.runId}`, Math.max(streamSequence, this.of(run)));
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

/**
 * The one place that waits for a replica that lags behind what is known to be stored. On a replicated stream a direct
 * get is answered by any replica, also by one that does not have the last messages yet.
 */
export class ReplicaLag {
  readonly #deadline = performance.now() + LONGEST_MS;
  #reached: number;

  /** `what` is read for the error; `known` is a place that holds something of it; `reached` is how far reading came. */
  constructor(
    private readonly what: string,
    private known: number,
    reached = 0,
  ) {
    this.#reached = reached;
  }

  /** Another place that is known to be stored. */
  expect(place: number): void {
    this.known = Math.max(this.known, place);
  }

  /** Where reading must go on, after a moment; undefined when all that is known was read. */
  async missingAfter(streamSequence: number | undefined): Promise<number | undefined> {
    this.#reached = Math.max(this.#reached, streamSequence ?? 0);
    if (this.#reached >= this.known) return undefined;
    if (performance.now() > this.#deadline) {
      const where = `read up to ${this.#reached}, known to go to ${this.known}`;
      throw new StoreUnavailable(`${this.what}: no replica has its end after ${LONGEST_MS / 1_000} s (${where})`);
    }
    await pause(PAUSE_MS);
    return this.#reached + 1;
  }
}
