import type { RunEvent } from '@millrace/contracts';
import type { StoredEvent, StorePlace } from '@millrace/ports';
import { foldRunRows, RunViews } from '@millrace/run-views';

/** The rows of the read models and how far they go, changed together or not at all. */
export class Database {
  #position: StorePlace = 0;
  readonly #views = new Map<string, RunViews>();

  get position(): StorePlace {
    return this.#position;
  }

  /** False when the rows have moved past `from`: nothing is changed then. */
  commit(from: StorePlace, to: StorePlace, batch: readonly StoredEvent[]): boolean {
    if (from !== this.#position) return false;
    for (const stored of batch) {
      if (!('event' in stored) || !('runId' in stored.event)) continue;
      const { runId } = stored.event;
      let views = this.#views.get(runId);
      if (!views) this.#views.set(runId, (views = new RunViews()));
      views.take(stored.event);
    }
    this.#position = to;
    return true;
  }

  /** Whether the rows of a run are those of its history. */
  agrees(runId: string, events: readonly RunEvent[]): boolean {
    return JSON.stringify(this.#views.get(runId)?.rows()) === JSON.stringify(foldRunRows(events));
  }
}
