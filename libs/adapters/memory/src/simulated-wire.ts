import { StoreUnavailable } from '@millrace/ports';
import type { SeededRandom } from './seeded-random.js';
import type { VirtualTime } from './virtual-time.js';
import { AGAIN_MS, type AskSort, LOOK_EVERY_MS, notSeen, PATIENCE_MS, type ReplicaRead, Wire } from './wire.js';

/** How far replicas are behind. */
export interface Lag {
  /** Of a read to be answered by one that is behind. */
  readonly chance: number;
  readonly mostMs: number;
}

/** What goes wrong between processes and the store, each as the share of the words it befalls. */
export interface Faults {
  /** A write is stored and its writer is told that the store was away. */
  readonly lostAnswers?: number;
  /** A write is not stored, and its writer is told so. */
  readonly refusedWrites?: number;
  readonly failedReads?: number;
  /** An acknowledgement or a live message does not arrive. */
  readonly lostWords?: number;
  /** A lease is lost although its holder lives; on average once in so many milliseconds. */
  readonly leaseLostEveryMs?: number;
}

/** Words travel for some milliseconds, now and then for much longer; some are lost. All of it by the seed. */
export class SimulatedWire extends Wire {
  constructor(
    override readonly time: VirtualTime,
    private readonly random: SeededRandom,
    private readonly lag: Lag,
    private readonly faults: Faults,
  ) {
    super(time);
  }

  ask<T>(sort: AskSort, answer: () => T, unavailable = away): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.life.isGone) return;
      const fate = this.fateOf(sort);
      const fail = () => reject(unavailable(fate === 'lost' ? 'gave no answer' : 'was away'));
      if (fate === 'refused') return this.later(this.waitMs(), () => this.life.reach(fail));
      this.later(this.travelMs(), () => {
        if (this.isLostWithProcess()) return;
        const settle = settled(answer, resolve, reject);
        if (fate === 'lost') this.later(this.waitMs(), () => this.life.reach(fail));
        else this.later(this.travelMs(), () => this.life.reach(settle));
      });
    });
  }

  look<T>(read: ReplicaRead<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.life.isGone) return;
      const reply = (settle: () => void) => this.later(this.travelMs(), () => this.life.reach(settle));
      if (this.fateOf('read') === 'refused') return reply(() => reject(away('was away')));
      this.later(this.travelMs(), () => {
        const lagMs = this.random.chance(this.lag.chance) ? this.random.below(this.lag.mostMs + 1) : 0;
        const deadline = this.time.nowMs() + PATIENCE_MS;
        const known = read.known();
        const attempt = () => {
          const now = this.time.nowMs();
          const hasItAt = known > 0 ? seenAt(read.storedBy(known), lagMs) : now;
          if (hasItAt !== undefined && hasItAt <= now) {
            return reply(settled(() => read.read(now - lagMs), resolve, reject));
          }
          if (now >= deadline) return reply(() => reject(notSeen(read.what, known)));
          this.later(Math.min(hasItAt ?? now + AGAIN_MS, deadline) - now, attempt);
        };
        attempt();
      });
    });
  }

  send(word: () => void, lost: () => void = () => {}): void {
    if (this.life.isGone) return;
    const isLost = this.random.chance(this.faults.lostWords ?? 0);
    this.later(this.travelMs(), () => (isLost || this.isLostWithProcess() ? lost() : word()));
  }

  tell(heard: () => void, care?: 'may be lost'): void {
    const isLost = care !== undefined && this.random.chance(this.faults.lostWords ?? 0);
    this.later(this.travelMs() + (isLost ? LOOK_EVERY_MS : 0), () => this.life.reach(heard));
  }

  private fateOf(sort: AskSort): 'fine' | 'lost' | 'refused' {
    if (sort === 'read') return this.random.chance(this.faults.failedReads ?? 0) ? 'refused' : 'fine';
    if (this.random.chance(this.faults.lostAnswers ?? 0)) return 'lost';
    return this.random.chance(this.faults.refusedWrites ?? 0) ? 'refused' : 'fine';
  }

  /** What a process had sent when it was killed may have left the machine, or not. */
  private isLostWithProcess(): boolean {
    return this.life.isGone && this.random.chance(0.5);
  }

  private later(afterMs: number, what: () => void): void {
    this.time.at(this.time.nowMs() + afterMs, what);
  }

  private travelMs(): number {
    return this.random.chance(0.02) ? this.random.below(500) : this.random.below(4);
  }

  /** Until a client gives up on an answer. */
  private waitMs(): number {
    return this.random.between(50, PATIENCE_MS);
  }
}

const away = (why: string): Error => new StoreUnavailable(`The store ${why}`);

const seenAt = (storedAtMs: number | undefined, lagMs: number): number | undefined =>
  storedAtMs === undefined ? undefined : storedAtMs + lagMs;

const settled = <T>(make: () => T, resolve: (value: T) => void, reject: (error: unknown) => void): (() => void) => {
  try {
    const value = make();
    return () => resolve(value);
  } catch (error) {
    return () => reject(error);
  }
};
