const TICK_MS = 250;

/** Notices that this process stood still. Asked in the very turn it wakes up in, before its timers have run, it knows. */
export class StallWatch {
  readonly #timer: NodeJS.Timeout;
  #tickedAt = performance.now();
  #count = 0;

  constructor(
    private readonly limitMs: number,
    private readonly onStall: () => void = () => {},
  ) {
    this.#timer = setInterval(() => this.tick(), TICK_MS).unref();
  }

  /** How often it did so far. */
  get count(): number {
    return this.#count;
  }

  /** Whether it does, or just did. */
  isStalled(): boolean {
    return performance.now() - this.#tickedAt > this.limitMs;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  private tick(): void {
    const hasStalled = this.isStalled();
    this.#tickedAt = performance.now();
    if (!hasStalled) return;
    this.#count += 1;
    this.onStall();
  }
}
