import { storable } from './storable.js';

/** Rows by their key, in the order they came, and which of them are new or changed since the table was made. */
export class RowTable<Row extends object> {
  readonly #rows = new Map<string, Row>();
  readonly #changed = new Set<string>();

  constructor(
    private readonly keyOf: (row: Row) => string,
    known: Iterable<Row> = [],
  ) {
    for (const row of known) this.#rows.set(keyOf(row), row);
  }

  get(key: string): Row | undefined {
    return this.#rows.get(key);
  }

  /** Nothing when there is such a row already. */
  add(row: Row): boolean {
    const kept = storable(row);
    const key = this.keyOf(kept);
    if (this.#rows.has(key)) return false;
    this.#put(key, kept);
    return true;
  }

  /** Nothing when there is no such row, or `change` gives the same one back. */
  change(key: string, change: (row: Row) => Row): boolean {
    const row = this.#rows.get(key);
    if (row === undefined) return false;
    const next = change(row);
    if (next === row) return false;
    this.#put(key, storable(next));
    return true;
  }

  all(): Row[] {
    return [...this.#rows.values()];
  }

  changed(): Row[] {
    return [...this.#rows].flatMap(([key, row]) => (this.#changed.has(key) ? [row] : []));
  }

  #put(key: string, row: Row): void {
    this.#rows.set(key, row);
    this.#changed.add(key);
  }
}
