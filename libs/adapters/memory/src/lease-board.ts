import type { MemoryTime } from './memory-time.js';
import type { ProcessLife } from './process-life.js';

export interface LeaseWish {
  readonly life: ProcessLife;
  readonly granted: () => void;
  /** It is, or may be, in other hands now. */
  readonly revoked: (why: string) => void;
}

interface Lease {
  holder: LeaseWish | undefined;
  endWatch: () => void;
  readonly waiting: Set<LeaseWish>;
}

/**
 * Who holds what. A holder that is silent for too long loses its lease to the first that waits; when it moves again it is
 * told, and until then it believes that it holds the lease: as with a holder that was suspended.
 */
export class LeaseBoard {
  readonly #leases = new Map<string, Lease>();

  constructor(
    private readonly time: MemoryTime,
    private readonly silenceMs: number,
  ) {}

  wait(name: string, wish: LeaseWish): void {
    const lease = this.#leases.get(name) ?? { holder: undefined, endWatch: () => {}, waiting: new Set() };
    this.#leases.set(name, lease);
    lease.waiting.add(wish);
    this.grant(lease);
  }

  /** Given back, or no longer wanted. */
  leave(name: string, wish: LeaseWish): void {
    const lease = this.#leases.get(name);
    if (!lease) return;
    lease.waiting.delete(wish);
    if (lease.holder === wish) this.free(lease);
  }

  revoke(name: string, wish: LeaseWish, why: string): void {
    const lease = this.#leases.get(name);
    if (lease?.holder !== wish) return;
    wish.revoked(why);
    this.free(lease);
  }

  private free(lease: Lease): void {
    lease.endWatch();
    lease.holder = undefined;
    this.grant(lease);
  }

  private grant(lease: Lease): void {
    if (lease.holder) return;
    for (const wish of lease.waiting) {
      lease.waiting.delete(wish);
      if (wish.life.isGone) continue;
      lease.holder = wish;
      lease.endWatch = this.watch(lease, wish);
      return wish.granted();
    }
  }

  private watch(lease: Lease, wish: LeaseWish): () => void {
    const fallenSilent = () => {
      this.time.at(this.time.nowMs() + this.silenceMs, () => {
        if (lease.holder !== wish || wish.life.isMoving) return;
        wish.revoked('it was silent for too long');
        this.free(lease);
      });
    };
    if (!wish.life.isMoving) fallenSilent();
    return wish.life.onSilence(fallenSilent);
  }
}
