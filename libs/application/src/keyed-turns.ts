/**
 * Lets the work on one key happen one after the other. Work that waits for its turn is shared by whoever asks for it
 * meanwhile: it has not begun, so it will see what they have to say.
 */
export class KeyedTurns {
  readonly #running = new Map<string, Promise<void>>();
  readonly #waiting = new Map<string, Promise<void>>();

  take(key: string, work: () => Promise<void>): Promise<void> {
    const waiting = this.#waiting.get(key);
    if (waiting) return waiting;
    const running = this.#running.get(key);
    if (!running) return this.begin(key, work);
    const turn = running.then(
      () => this.follow(key, work),
      () => this.follow(key, work),
    );
    this.#waiting.set(key, turn);
    return turn;
  }

  private follow(key: string, work: () => Promise<void>): Promise<void> {
    this.#waiting.delete(key);
    return this.begin(key, work);
  }

  private begin(key: string, work: () => Promise<void>): Promise<void> {
    const turn = work().finally(() => {
      if (this.#running.get(key) === turn) this.#running.delete(key);
    });
    this.#running.set(key, turn);
    return turn;
  }
}
