import { createHash } from 'node:crypto';
import type { Identity } from './token-verifier.js';

const MOST = 10_000;

/**
 * Whom tokens were found to stand for, by a hash of the token: a signature is checked once, not with every request. What
 * was found is good for as long as the token is and the keys are the same; the longest unused is forgotten first.
 */
export class VerifiedTokens {
  /** Oldest use first. */
  readonly #known = new Map<string, Identity>();
  #keys: unknown;

  constructor(
    private readonly clockToleranceSeconds: number,
    private readonly now: () => number = Date.now,
  ) {}

  get size(): number {
    return this.#known.size;
  }

  /** `keys` is what tokens are verified with at present: with other keys nothing that was found before counts. */
  find(token: string, keys: unknown): Identity | undefined {
    if (keys !== this.#keys) return undefined;
    const key = keyOf(token);
    const found = this.#known.get(key);
    if (found === undefined) return undefined;
    this.#known.delete(key);
    if (this.hasExpired(found)) return undefined;
    this.#known.set(key, found);
    return found;
  }

  keep(token: string, identity: Identity, keys: unknown): void {
    if (keys !== this.#keys) this.#known.clear();
    this.#keys = keys;
    this.#known.set(keyOf(token), identity);
    for (const [oldest] of this.#known) {
      if (this.#known.size <= MOST) return;
      this.#known.delete(oldest);
    }
  }

  /** By the same rule as when it was verified. */
  private hasExpired({ expiresAt }: Identity): boolean {
    return expiresAt.getTime() / 1_000 <= Math.floor(this.now() / 1_000) - this.clockToleranceSeconds;
  }
}

/** The memory of a process holds no tokens. */
const keyOf = (token: string): string => createHash('sha256').update(token).digest('base64');
