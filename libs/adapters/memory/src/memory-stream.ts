import type { RunEvent, ThreadEvent } from '@millrace/contracts';
import type { StorePlace, Tail } from '@millrace/ports';
import type { MemoryTime } from './memory-time.js';

export interface StoredMessage {
  readonly place: StorePlace;
  readonly subject: string;
  /** Text is kept as it is, until a consumer asks for its bytes. */
  readonly data: string | Uint8Array;
  readonly storedAtMs: number;
  /** What an append of ours stored; a message written past it has to be decoded. */
  readonly stored?: { readonly event: RunEvent | ThreadEvent; readonly tail?: Tail } | undefined;
  /** What is told about the data beside it. */
  readonly headers?: unknown;
}

export type NewMessage = Pick<StoredMessage, 'subject' | 'data' | 'stored' | 'headers'> & {
  /** The same one within two minutes is stored once. */
  readonly id?: string | undefined;
};

const REMEMBERED_MS = 2 * 60_000;

/** Messages in the order they were stored, as a stream of JetStream keeps them. */
export class MemoryStream {
  readonly #messages: (StoredMessage | undefined)[] = [];
  readonly #byKey = new Map<string, StoredMessage[]>();
  readonly #ids = new Map<string, StoredMessage>();
  readonly #listeners = new Map<string, Set<Listener>>();

  constructor(
    private readonly time: MemoryTime,
    /** Under which keys its messages are found again. */
    private readonly keysOf: (subject: string) => readonly string[] = (subject) => [subject],
  ) {}

  /** What it returns is stored: now, or under the same id within the last two minutes. */
  store({ id, ...message }: NewMessage): StoredMessage {
    const known = this.known(id);
    if (known) return known;
    const stored = { ...message, place: this.#messages.length + 1, storedAtMs: this.time.nowMs() };
    this.#messages.push(stored);
    if (id !== undefined) this.#ids.set(id, stored);
    const keys = this.keysOf(message.subject);
    for (const key of keys) {
      const listed = this.#byKey.get(key);
      if (listed) listed.push(stored);
      else this.#byKey.set(key, [stored]);
    }
    for (const key of [...keys, EVERYTHING]) {
      for (const listener of [...(this.#listeners.get(key) ?? [])]) listener(stored);
    }
    return stored;
  }

  /** What was stored under the id, as long as that is remembered. */
  known(id: string | undefined): StoredMessage | undefined {
    const known = id === undefined ? undefined : this.#ids.get(id);
    return known && this.time.nowMs() - known.storedAtMs <= REMEMBERED_MS ? known : undefined;
  }

  /** In the order they were stored. */
  of(key: string): readonly StoredMessage[] {
    return this.#byKey.get(key) ?? [];
  }

  get keys(): Iterable<string> {
    return this.#byKey.keys();
  }

  at(place: StorePlace): StoredMessage | undefined {
    return this.#messages[place - 1];
  }

  get lastPlace(): StorePlace {
    return this.#messages.length;
  }

  remove(place: StorePlace): void {
    const removed = this.#messages[place - 1];
    this.#messages[place - 1] = undefined;
    if (!removed) return;
    for (const key of this.keysOf(removed.subject)) {
      const left = this.of(key).filter((message) => message !== removed);
      if (left.length > 0) this.#byKey.set(key, left);
      else this.#byKey.delete(key);
    }
  }

  /** Whether there is any with the key. */
  holds(key: string): boolean {
    return this.#byKey.has(key);
  }

  /** Those that were not removed. */
  get messages(): readonly StoredMessage[] {
    return this.#messages.filter((message) => message !== undefined);
  }

  /** Told of every message, or of every one with the key, from now on; the answer ends it. */
  listen(listener: Listener, key = EVERYTHING): () => void {
    const listeners = this.#listeners.get(key) ?? new Set();
    this.#listeners.set(key, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(key) === listeners) this.#listeners.delete(key);
    };
  }
}

type Listener = (message: StoredMessage) => void;
const EVERYTHING = '';

const encoder = new TextEncoder();

export const bytesOf = ({ data }: Pick<StoredMessage, 'data'>): Uint8Array =>
  typeof data === 'string' ? encoder.encode(data) : data;

export const kindOf = ({ subject }: Pick<StoredMessage, 'subject'>): string =>
  subject.slice(subject.lastIndexOf('.') + 1);

/** How many of them hold; all that do come before all that do not. */
export const countWhile = <T>(sorted: readonly T[], holds: (item: T) => boolean): number => {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(sorted[middle]!)) low = middle + 1;
    else high = middle;
  }
  return low;
};
