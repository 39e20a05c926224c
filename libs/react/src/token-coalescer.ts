import { DeltaBuffer, type PublicEvent } from '@millrace/client';

/**
 * Merges the deltas of a list that grows. Reads each event once; what it has given out it does not change.
 */
export class TokenCoalescer {
  #shown: readonly PublicEvent[] = [];
  #source: readonly PublicEvent[] = [];
  #buffer = new DeltaBuffer();
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #listeners = new Set<() => void>();

  constructor(private readonly everyMs: number) {}

  readonly snapshot = (): readonly PublicEvent[] => this.#shown;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Another list than the one before, not its continuation, is another run's: it begins anew. */
  take(events: readonly PublicEvent[]): void {
    const read = this.#source.length;
    const continues = events.length >= read && (read === 0 || events[read - 1] === this.#source[read - 1]);
    if (!continues) {
      this.#buffer = new DeltaBuffer();
      this.#shown = [];
    }
    const ready = events.slice(continues ? read : 0).flatMap((event) => this.#buffer.take(event));
    this.#source = events;
    if (this.#buffer.isEmpty) this.stop();
    else this.#timer ??= setTimeout(() => this.#flush(), this.everyMs); // from the first delta on, not from the last
    if (ready.length > 0 || !continues) this.#show(ready);
  }

  /** What is held is given out all the same, should somebody look again. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #flush(): void {
    this.#timer = undefined;
    this.#show(this.#buffer.flush());
  }

  #show(events: readonly PublicEvent[]): void {
    this.#shown = [...this.#shown, ...events];
    for (const listener of this.#listeners) listener();
  }
}
