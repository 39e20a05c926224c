import type { RunRef } from '@millrace/contracts';
import type { StorePlace } from '@millrace/ports';
import { LeftRequests, type LeftToLog, type SavedLeft } from './left-requests.js';

export interface WaitingRun extends RunRef {
  readonly agent: string;
  /** It has been told that it waits. */
  readonly isQueued: boolean;
  /** Where the log has its request. */
  readonly streamSequence: number;
}

export interface SavedLine {
  readonly front: readonly WaitingRun[];
  readonly untold: readonly WaitingRun[];
  readonly left?: SavedLeft | undefined;
}

/** So many wait in memory; whatever the queue, the next start is never further away than a read of the log. */
const FRONT = 64;
const LOW = 16;

/**
 * The runs of one tenant that wait for a slot, who came first first. Only the front of the line is in memory. Behind it
 * a run is kept until it has been told that it waits; from then on the place of its request in the log is all there is
 * of it, and it is read from there when the front has become short.
 *
 * I1  First the front, then what is left to the log, then the untold: each in the order of their requests.
 * I2  Among what is left to the log are runs that were canceled, or started by another dispatcher: who reads them asks
 *     the log what has become of each.
 * I3  Who has waited for an improvement stays in memory, at the front: its request lies before those of others who may be
 *     left to the log already.
 */
export class WaitingLine {
  readonly #front = new Map<string, WaitingRun>();
  readonly #untold = new Map<string, WaitingRun>();
  #left: LeftRequests | undefined;

  static from({ front, untold, left }: SavedLine): WaitingLine {
    const line = new WaitingLine();
    for (const run of front) line.#front.set(run.runId, run);
    for (const run of untold) line.#untold.set(run.runId, run);
    if (left) line.#left = new LeftRequests(left);
    return line;
  }

  /** The places of what is left to the log take at most so many bytes. */
  save(mostBytes: number): SavedLine {
    const [front, untold] = [[...this.#front.values()], [...this.#untold.values()]];
    return { front, untold, left: this.#left?.save(mostBytes) };
  }

  /** Who is next; undefined also while the front has to be read from the log. */
  get first(): WaitingRun | undefined {
    const [first] = this.#front.values();
    return first;
  }

  /** No run of the line was requested before it, other than those that had their turn or wait for an improvement. */
  get from(): StorePlace {
    return this.first?.streamSequence ?? this.#left?.from ?? Infinity;
  }

  get isEmpty(): boolean {
    return this.#front.size === 0 && this.#untold.size === 0 && this.#left === undefined;
  }

  /** What is to be read from the log now, if anything. */
  get wanted(): LeftToLog | undefined {
    return this.#front.size < LOW ? this.#left?.wanted : undefined;
  }

  *unqueued(): Generator<WaitingRun> {
    for (const line of [this.#front, this.#untold]) {
      for (const run of line.values()) if (!run.isQueued) yield run;
    }
  }

  join(run: WaitingRun): void {
    if (this.#front.has(run.runId) || this.#untold.has(run.runId)) return;
    this.#untold.set(run.runId, run);
    this.moveUp();
  }

  /** I3: behind those at the front, before all others. */
  joinFront(run: WaitingRun): void {
    this.#front.set(run.runId, run);
  }

  /** Before all others: it had its turn. */
  rejoin(run: WaitingRun): void {
    const others = [...this.#front];
    this.#front.clear();
    this.#front.set(run.runId, run);
    for (const [runId, other] of others) this.#front.set(runId, other);
  }

  leave(runId: string): void {
    this.#front.delete(runId);
    this.#untold.delete(runId);
    this.moveUp();
  }

  /** It has been told that it waits. Behind the front it can be forgotten now, once all before it can (I1). */
  queued(runId: string): void {
    for (const line of [this.#front, this.#untold]) {
      const run = line.get(runId);
      if (run) line.set(runId, { ...run, isQueued: true });
    }
    for (const [told, { isQueued, streamSequence: place }] of this.#untold) {
      if (!isQueued) return;
      this.#untold.delete(told);
      this.#left ??= new LeftRequests({ from: place, to: place - 1 });
      this.#left.add(place);
    }
  }

  /** `runs` are those that still wait of what is left to the log, which was read up to the place `through`. */
  refill(through: StorePlace, runs: readonly WaitingRun[]): void {
    for (const run of runs) this.#front.set(run.runId, run);
    this.#left?.drop(through);
    this.forgetLeft();
  }

  /** The places of requests left to the log, all there are up to `through`. */
  locate(places: readonly StorePlace[], through: StorePlace): void {
    this.#left?.locate(places, through);
    this.forgetLeft();
  }

  private forgetLeft(): void {
    if (this.#left?.isEmpty) this.#left = undefined;
    this.moveUp();
  }

  /** I1: past what is left to the log nobody goes to the front. */
  private moveUp(): void {
    for (const [runId, run] of this.#untold) {
      if (this.#left || this.#front.size >= FRONT) return;
      this.#untold.delete(runId);
      this.#front.set(runId, run);
    }
  }
}
