import { setImmediate, setTimeout } from 'node:timers/promises';

const TOKENS_BETWEEN_TURNS = 64;

/** So many tokens in a second, counted from the first: neither coarse timers nor a slow reader add up. */
export class Pace {
  readonly #perSecond: number;
  readonly #startedAt = performance.now();
  #given = 0;

  /** 0 is as fast as it goes. */
  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** Resolves when the next token is due, rejects at once when `signal` aborts. */
  async next(signal: AbortSignal): Promise<void> {
    const given = this.#given++;
    if (this.#perSecond > 0) {
      const waitMs = this.#startedAt + (given * 1_000) / this.#perSecond - performance.now();
      if (waitMs > 0) return setTimeout(waitMs, undefined, { signal });
    }
    // Without a pause now and then nobody else would run, and no abort would ever be seen.
    if (given % TOKENS_BETWEEN_TURNS === TOKENS_BETWEEN_TURNS - 1) await setImmediate();
  }
}
