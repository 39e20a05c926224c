import { type HeldLease, Leases } from '@millrace/ports';
import type { LeaseWish } from './lease-board.js';
import type { ProcessParts } from './process-parts.js';

export class MemoryLeases extends Leases {
  constructor(
    private readonly parts: ProcessParts,
    /** How long a lease is held before it is lost for no reason; undefined when that does not happen. */
    private readonly losesAfterMs: () => number | undefined = () => undefined,
  ) {
    super();
  }

  async acquire(name: string, signal: AbortSignal): Promise<HeldLease | undefined> {
    if (signal.aborted) return undefined;
    const { store, wire } = this.parts;
    const lost = new AbortController();
    return new Promise((resolve, reject) => {
      const left = () => store.leases.leave(name, wish);
      // When the word is lost the lease runs out: nobody renews it any more.
      const leave = () => wire.send(left, () => wire.time.at(wire.time.nowMs() + store.timings.leaseSilenceMs, left));
      const giveUp = () => {
        leave();
        resolve(undefined);
      };
      const wish: LeaseWish = {
        life: wire.life,
        granted: () => {
          wire.tell(() => {
            signal.removeEventListener('abort', giveUp);
            if (signal.aborted) return leave(); // it was wanted no more before it was asked for
            this.loseSometime(name, wish);
            resolve({ lost: lost.signal, release: async () => leave() });
          });
        },
        revoked: (why) => wire.tell(() => lost.abort(new Error(`Lease ${name}: ${why}`))),
      };
      signal.addEventListener('abort', giveUp);
      wire.ask('read', () => store.leases.wait(name, wish)).catch(reject);
    });
  }

  private loseSometime(name: string, wish: LeaseWish): void {
    const { store, wire } = this.parts;
    const afterMs = this.losesAfterMs();
    if (afterMs === undefined) return;
    const lose = () => store.leases.revoke(name, wish, 'it could not be renewed');
    wire.time.at(wire.time.nowMs() + afterMs, lose, 'background');
  }
}
