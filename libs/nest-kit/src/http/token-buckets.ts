export interface Taken {
  readonly isAllowed: boolean;
  /** What is left, in whole requests. */
  readonly remaining: number;
  /** Until everything is there again. */
  readonly fullInSeconds: number;
  /** Until there is one again. */
  readonly nextInSeconds: number;
}

interface Bucket {
  readonly tokens: number;
  readonly atMs: number;
}

/**
 * One bucket for each key: it holds as much as may be taken in a minute, and fills evenly. A minute's worth may be taken
 * at once, but never more than that on the whole. In memory: each process counts what it is asked itself.
 */
export class TokenBuckets {
  readonly #buckets = new Map<string, Bucket>();
  readonly #perMs: number;

  constructor(
    readonly perMinute: number,
    private readonly mostKeys = 10_000,
  ) {
    this.#perMs = perMinute / 60_000;
  }

  take(key: string, nowMs: number): Taken {
    const filled = this.#filled(this.#buckets.get(key), nowMs);
    const isAllowed = filled >= 1;
    const tokens = isAllowed ? filled - 1 : filled;
    this.#buckets.delete(key); // to the end: the front is what was not asked for longest
    this.#buckets.set(key, { tokens, atMs: nowMs });
    if (this.#buckets.size > this.mostKeys) this.#forget(nowMs);
    return {
      isAllowed,
      remaining: Math.floor(tokens),
      fullInSeconds: this.#secondsFor(this.perMinute - tokens),
      nextInSeconds: this.#secondsFor(Math.max(0, 1 - tokens)),
    };
  }

  get size(): number {
    return this.#buckets.size;
  }

  #filled(bucket: Bucket | undefined, nowMs: number): number {
    if (bucket === undefined) return this.perMinute;
    return Math.min(this.perMinute, bucket.tokens + Math.max(0, nowMs - bucket.atMs) * this.#perMs);
  }

  /** A full bucket is as good as none. When none is full, whoever sends from ever new addresses is forgotten first. */
  #forget(nowMs: number): void {
    for (const [key, bucket] of this.#buckets) {
      if (this.#filled(bucket, nowMs) >= this.perMinute) this.#buckets.delete(key);
    }
    for (const key of this.#buckets.keys()) {
      if (this.#buckets.size <= this.mostKeys) return;
      this.#buckets.delete(key);
    }
  }

  #secondsFor(tokens: number): number {
    return Math.ceil(tokens / this.#perMs / 1_000);
  }
}
