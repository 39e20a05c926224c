import type { RunRef } from '@millrace/contracts';
import type { StorePlace } from '@millrace/ports';
import { keyOf } from './memory-store.js';

/** So long a process remembers what it wrote; no replica is behind for longer. */
const REMEMBERED_MS = 10_000;

/** Where a process knows the end of a run to be at least, because it wrote there a moment ago. */
export class LastWritten {
  readonly #written = new Map<string, { readonly place: StorePlace; readonly atMs: number }>();

  constructor(private readonly nowMs: () => number) {}

  note(run: RunRef, place: StorePlace): void {
    // An append that is repeated is answered with its first place, and others may lie behind it.
    this.#written.set(keyOf.run(run), { place: Math.max(place, this.of(run)), atMs: this.nowMs() });
  }

  /** 0 when nothing is known. */
  of(run: RunRef): StorePlace {
    const written = this.#written.get(keyOf.run(run));
    return written && this.nowMs() - written.atMs <= REMEMBERED_MS ? written.place : 0;
  }
}
