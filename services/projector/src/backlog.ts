import type { ProjectionStore } from '@millrace/adapter-postgres';
import type { EventFeed } from '@millrace/ports';
import { type BeforeApplicationShutdown, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import type { Projection } from './projection.js';

const LOOK_EVERY_MS = 2_000;
/** Beyond it somebody should know, even if nobody asks. */
const LONG_MS = 60_000;

/**
 * How far the rows are behind the log, by looking at both: whoever projects, and whether anybody does. What a runner
 * knows of itself would say nothing of events that never reached it.
 */
export class Backlog implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #log = new Logger(Backlog.name);
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();
  #position: number | undefined;
  #events: number | undefined;
  #oldestAt: number | undefined;
  #poisoned: number | undefined;
  #isLong = false;

  constructor(
    private readonly projection: Pick<Projection, 'name' | 'exclude'>,
    private readonly feed: Pick<EventFeed, 'backlog'>,
    private readonly store: Pick<ProjectionStore, 'load' | 'countPoison'>,
    private readonly now: () => number = Date.now,
  ) {}

  /** The last stream sequence in the rows. */
  get position(): number | undefined {
    return this.#position;
  }

  /** Events that are stored and not projected, when it last looked; undefined before it could. */
  get events(): number | undefined {
    return this.#events;
  }

  /** The age of the oldest of them, which grows while nobody projects it; 0 when there is none. */
  get lagMs(): number | undefined {
    if (this.#events === undefined) return undefined;
    return this.#oldestAt === undefined ? 0 : Math.max(0, this.now() - this.#oldestAt); // the store's clock may be ahead
  }

  /** How many events were set aside, by whomever, and are not in the rows. */
  get poisoned(): number | undefined {
    return this.#poisoned;
  }

  onApplicationBootstrap(): void {
    this.#timer = setInterval(() => this.#begin(), LOOK_EVERY_MS).unref();
    this.#begin();
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
  }

  /** While the database is away, what it said last still tells how far the rows are. */
  async look(): Promise<void> {
    const { name, exclude } = this.projection;
    try {
      this.#position = await this.store.load(name);
      this.#poisoned = await this.store.countPoison(name);
    } catch (error) {
      if (this.#position === undefined) throw error;
    }
    const { count, oldest } = await this.feed.backlog({ afterStreamSequence: this.#position, exclude });
    this.#events = count;
    this.#oldestAt = oldest && Date.parse(oldest.storedAt);
    this.#tell();
  }

  #begin(): void {
    // The runner needs the same servers and says aloud which of them is away.
    this.#looking = this.#looking.then(() => this.look().catch((error: unknown) => this.#log.debug(String(error))));
  }

  #tell(): void {
    const lagMs = this.lagMs ?? 0;
    const isLong = lagMs > LONG_MS;
    if (isLong && !this.#isLong) {
      this.#log.warn(`The rows are ${Math.round(lagMs / 1_000)} s behind the log, by ${this.#events} events`);
    }
    if (!isLong && this.#isLong) this.#log.log('The rows have caught up with the log');
    this.#isLong = isLong;
  }
}
