/** Counts what happens, and tells who waits for the next thing to happen. */
export class Activity {
  #count = 0;
  #waiting: (() => void)[] = [];

  touch(): void {
    this.#count += 1;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  get count(): number {
    return this.#count;
  }

  next(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}

/** One turn of the event loop: everything that waits for promises only has run by then. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
