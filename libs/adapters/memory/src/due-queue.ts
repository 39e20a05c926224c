export interface Due {
  readonly atMs: number;
  /** Of two that are due at the same moment the first that was asked for is first. */
  readonly order: number;
  readonly what: () => void;
  readonly isBackground: boolean;
  isCanceled: boolean;
}

/** A binary heap of what is to happen, earliest first. */
export class DueQueue {
  readonly #heap: Due[] = [];

  get first(): Due | undefined {
    return this.#heap[0];
  }

  push(due: Due): void {
    const heap = this.#heap;
    let at = heap.push(due) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (isBefore(heap[parent]!, due)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = due;
  }

  pop(): Due | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return first;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      if (left >= heap.length) break;
      const child = left + 1 < heap.length && isBefore(heap[left + 1]!, heap[left]!) ? left + 1 : left;
      if (isBefore(last, heap[child]!)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
    return first;
  }
}

const isBefore = (one: Due, other: Due): boolean =>
  one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order);
