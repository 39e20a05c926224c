import type { StorePlace } from '@millrace/ports';
import type { MemoryStream, StoredMessage } from './memory-stream.js';
import type { Wire } from './wire.js';

export interface ArrivalsOf {
  readonly stream: MemoryStream;
  /** Only messages with this key. */
  readonly key?: string;
  readonly wants?: (message: StoredMessage) => boolean;
  readonly signal: AbortSignal | undefined;
}

/** Word of what is stored, as it reaches a process: from the moment this is made, late, and some of it very late. */
export class Arrivals {
  #heard: StorePlace = 0;
  #wake: (() => void) | undefined;
  readonly #end: () => void;
  readonly #abort = () => this.#wake?.();

  constructor(
    wire: Wire,
    private readonly of: ArrivalsOf,
  ) {
    const { stream, key, wants = () => true, signal } = of;
    const stored = (message: StoredMessage) => {
      if (wants(message)) wire.tell(() => this.hear(message.place), 'may be lost');
    };
    this.#end = stream.listen(stored, key);
    signal?.addEventListener('abort', this.#abort);
  }

  /** The last place heard of, once it lies behind `after`; undefined when the signal has aborted. */
  async behind(after: StorePlace): Promise<StorePlace | undefined> {
    while (this.#heard <= after && !this.of.signal?.aborted) {
      await new Promise<void>((resolve) => (this.#wake = resolve));
      this.#wake = undefined;
    }
    return this.of.signal?.aborted ? undefined : this.#heard;
  }

  close(): void {
    this.#end();
    this.of.signal?.removeEventListener('abort', this.#abort);
  }

  private hear(place: StorePlace): void {
    if (place <= this.#heard) return;
    this.#heard = place;
    this.#wake?.();
  }
}
