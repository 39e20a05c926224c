import type { MemoryPlatform, SeededRandom } from '@millrace/adapter-memory';
import type { Service } from './simulated-processes.js';

export interface ChaosOptions {
  /** How likely each stored message is to be followed by a process that is killed. */
  readonly crash: number;
  /** … that stands still for a while. */
  readonly freeze: number;
  /** … that is stopped in good order. */
  readonly stop: number;
}

const MOST_TROUBLES = 25;

/** What befalls processes, at the moments when there is something to lose: just after something was stored. */
export class Chaos {
  #troubles = 0;

  constructor(
    private readonly platform: MemoryPlatform,
    private readonly random: SeededRandom,
    private readonly options: ChaosOptions,
    private readonly services: () => readonly Service[],
    /** Another process comes in the place of one that is gone, after a while. */
    private readonly replace: (service: Service) => void,
    private readonly tell: (line: string) => void,
  ) {
    const { runs, tasks, timers } = platform.store;
    for (const stream of [runs, tasks, timers]) stream.listen(() => this.consider());
  }

  /** How many processes it befell. */
  get troubles(): number {
    return this.#troubles;
  }

  private consider(): void {
    const { crash, freeze, stop } = this.options;
    const dice = this.random.next();
    if (dice >= crash + freeze + stop || this.#troubles >= MOST_TROUBLES) return;
    const alive = this.services().filter(({ process }) => process.isMoving);
    const victim = alive[this.random.below(alive.length)];
    if (!victim) return;
    this.#troubles += 1;
    this.in(this.random.below(12), () => {
      if (dice < crash) this.kill(victim);
      else if (dice < crash + freeze) this.freeze(victim);
      else this.stop(victim);
    });
  }

  private kill(victim: Service): void {
    if (victim.process.isGone) return;
    this.tell(`${victim.name} is killed`);
    victim.process.crash();
    this.replace(victim);
  }

  private freeze({ process, name }: Service): void {
    this.tell(`${name} stands still`);
    process.freeze();
    this.in(this.random.chance(0.3) ? this.random.below(20_000) : this.random.below(3_000), () => {
      this.tell(`${name} goes on`);
      process.thaw();
    });
  }

  private stop(victim: Service): void {
    if (!victim.process.isMoving) return;
    this.tell(`${victim.name} is stopped`);
    this.replace(victim);
    void victim.close();
    this.in(10_000, () => victim.process.crash()); // it has ended, or is killed
  }

  private in(ms: number, what: () => void): void {
    const { time } = this.platform;
    time.at(time.nowMs() + ms, what);
  }
}
