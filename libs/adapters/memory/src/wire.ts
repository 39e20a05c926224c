import { StoreUnavailable, type StorePlace } from '@millrace/ports';
import type { MemoryTime } from './memory-time.js';
import { ProcessLife } from './process-life.js';

/** A read that any replica may answer. Times are those of storing, in milliseconds. */
export interface ReplicaRead<T> {
  /** For the error. */
  readonly what: string;
  /** Which place the answer must have seen; 0 for none. Asked when the question reaches the store. */
  readonly known: () => StorePlace;
  /** When something at the place or behind it was stored, of what is read; undefined when there is no such thing. */
  readonly storedBy: (place: StorePlace) => number | undefined;
  /** Of what was stored until then. */
  readonly read: (untilMs: number) => T;
}

export type AskSort = 'read' | 'write';

/** How long a question waits for a replica that lags. */
export const PATIENCE_MS = 5_000;

/** How often what waits for word that may be lost looks by itself. */
export const LOOK_EVERY_MS = 5_000;

/** All that goes between a process and the store. */
export abstract class Wire {
  readonly life: ProcessLife;

  constructor(readonly time: MemoryTime) {
    this.life = new ProcessLife(() => time.nowMs());
  }

  /** A question and its answer, which is made at the store. */
  abstract ask<T>(sort: AskSort, answer: () => T, unavailable?: (why: string) => Error): Promise<T>;
  abstract look<T>(read: ReplicaRead<T>): Promise<T>;
  /** Word to the store that is not answered; `lost` is called there in its place when it does not arrive. */
  abstract send(word: () => void, lost?: () => void): void;
  /** Word from the store. What may be lost comes late instead: when the process looks by itself. */
  abstract tell(heard: () => void, care?: 'may be lost'): void;

  /** Ends early when the signal aborts. */
  pause(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const end = () => {
        forget();
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const forget = this.time.at(this.time.nowMs() + ms, () => this.life.reach(end));
      signal?.addEventListener('abort', end);
    });
  }

  /** While the process lives and moves; the answer ends it. */
  every(everyMs: number, what: () => void): () => void {
    let isOver = false;
    const again = () => {
      forget = this.time.at(this.time.nowMs() + everyMs, beat, 'background');
    };
    const beat = () => {
      if (isOver || this.life.isGone) return;
      if (this.life.isMoving) what();
      again();
    };
    let forget = () => {};
    again();
    return () => {
      isOver = true;
      forget();
    };
  }
}

/** At once, and without a fault; a process that is gone still hears nothing. */
export class PlainWire extends Wire {
  async ask<T>(_sort: AskSort, answer: () => T): Promise<T> {
    if (!this.life.isMoving) await new Promise<void>((resolve) => this.life.reach(resolve));
    return answer();
  }

  async look<T>(read: ReplicaRead<T>): Promise<T> {
    if (!this.life.isMoving) await new Promise<void>((resolve) => this.life.reach(resolve));
    const known = read.known();
    const deadline = this.time.nowMs() + PATIENCE_MS;
    while (known > 0 && read.storedBy(known) === undefined) {
      if (this.time.nowMs() >= deadline) throw notSeen(read.what, known);
      await this.pause(AGAIN_MS);
    }
    return read.read(Number.POSITIVE_INFINITY);
  }

  send(word: () => void): void {
    if (!this.life.isGone) word();
  }

  tell(heard: () => void): void {
    this.life.reach(heard);
  }
}

export const AGAIN_MS = 10;

export const notSeen = (what: string, known: StorePlace): StoreUnavailable =>
  new StoreUnavailable(`${what}: no replica has what lies at ${known} after ${PATIENCE_MS / 1_000} s`);
