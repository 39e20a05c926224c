export interface Closable {
  close(): void;
}

export interface Held<T> {
  readonly value: T;
  /** To be called once, by whoever asked for it: the last one closes it. */
  readonly release: () => void;
}

interface Opening<T> {
  readonly opened: Promise<T>;
  /** Counted before it is open, so that nobody closes what another one waits for. */
  users: number;
}

/** One of each, for all who want it at the same time. */
export class Shared<T extends Closable> {
  readonly #openings = new Map<string, Opening<T>>();

  get size(): number {
    return this.#openings.size;
  }

  async hold(key: string, open: () => Promise<T>): Promise<Held<T>> {
    const opening = this.#openings.get(key) ?? { opened: open(), users: 0 };
    this.#openings.set(key, opening);
    opening.users += 1;
    const forget = (): void => {
      if (this.#openings.get(key) === opening) this.#openings.delete(key);
    };
    const release = (): void => {
      opening.users -= 1;
      if (opening.users > 0) return;
      forget();
      void opening.opened.then((value) => value.close());
    };
    try {
      return { value: await opening.opened, release };
    } catch (error) {
      forget(); // whoever comes next tries again
      throw error;
    }
  }
}
