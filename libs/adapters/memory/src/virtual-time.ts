import { Clock } from '@millrace/ports';
import { type Due, DueQueue } from './due-queue.js';
import type { MemoryTime } from './memory-time.js';

export const VIRTUAL_START_MS = Date.parse('2026-01-12T10:00:00.000Z');

/** So often the event loop has its turn while time moves: a simulation of minutes must not starve a test's own timer. */
const LOOP_EVERY = 512;
/** A loop with nothing else to do turns some hundred times in a millisecond. */
const MS_A_TURN = 0.2;

/**
 * Time that jumps from one thing to the next. Everything that happens on the platform is one of these things, so their
 * order, and with it the story, follows from the seed alone.
 *
 * I1  Between two of them every microtask is done: whatever a process makes of an answer, it has made before the next.
 */
export class VirtualTime extends Clock implements MemoryTime {
  readonly #queue = new DueQueue();
  #now = VIRTUAL_START_MS;
  #order = 0;
  #foreground = 0;
  #steps = 0;

  now(): Date {
    return new Date(this.#now);
  }

  nowMs(): number {
    return this.#now;
  }

  get elapsedMs(): number {
    return this.#now - VIRTUAL_START_MS;
  }

  get steps(): number {
    return this.#steps;
  }

  /** Nothing is to come but heartbeats and the like. */
  get isQuiet(): boolean {
    return this.#foreground === 0;
  }

  at(dueAtMs: number, what: () => void, place?: 'background'): () => void {
    const due: Due = {
      atMs: Math.max(dueAtMs, this.#now),
      order: (this.#order += 1),
      what,
      isBackground: place === 'background',
      isCanceled: false,
    };
    if (!due.isBackground) this.#foreground += 1;
    this.#queue.push(due);
    return () => this.cancel(due);
  }

  /** Does what comes next; false when there is nothing at all. */
  step(): boolean {
    for (let due = this.#queue.pop(); due; due = this.#queue.pop()) {
      if (due.isCanceled) continue;
      this.cancel(due);
      this.#now = due.atMs;
      this.#steps += 1;
      due.what();
      return true;
    }
    return false;
  }

  /** Moves on until nothing is to come any more, or `isEnough` says so. Resolves with whether it became quiet. */
  async untilQuiet(isEnough: () => boolean = () => false): Promise<boolean> {
    await drained();
    while (!this.isQuiet) {
      if (isEnough()) return false;
      this.step();
      await (this.#steps % LOOP_EVERY === 0 ? turned() : drained()); // I1
    }
    return true;
  }

  /**
   * Moves on by itself until the signal aborts, for callers that wait for a fact and look for it again and again. Time is
   * counted in turns of the event loop: a process that is short of processor time turns less often, and then its time
   * passes as slowly as its callers look.
   */
  async drive(signal: AbortSignal): Promise<void> {
    for (let mayReachMs = this.#now; !signal.aborted; await turned()) {
      const next = this.#queue.first;
      if (next && next.atMs <= mayReachMs) this.step();
      else mayReachMs += MS_A_TURN;
    }
  }

  private cancel(due: Due): void {
    if (due.isCanceled) return;
    due.isCanceled = true;
    if (!due.isBackground) this.#foreground -= 1;
  }
}

/** A tick runs when there are no more microtasks, those they made included; and costs a tenth of a turn of the loop. */
const drained = (): Promise<void> => new Promise((resolve) => queueMicrotask(() => process.nextTick(resolve)));

const turned = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
