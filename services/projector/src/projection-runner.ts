import { ExclusiveLock, type Poison, PositionMoved, type ProjectionStore } from '@millrace/adapter-postgres';
import type { SetAside, SetAsides } from '@millrace/application';
import { runOfSubject, subjects } from '@millrace/contracts';
import type { EventFeed, StoredEvent } from '@millrace/ports';
import { type BeforeApplicationShutdown, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { setTimeout as pause } from 'node:timers/promises';
import { OutageLog } from '@millrace/nest-kit';
import { EventNotProjected } from './event-not-projected.js';
import type { Projection } from './projection.js';

export type Role = 'starting' | 'standby' | 'active' | 'waiting';

/** Resolves with undefined while somebody else holds the lock. */
export type TryLock = () => Promise<Pick<ExclusiveLock, 'lost' | 'release'> | undefined>;

/** Resolves after the time, or once the signal has aborted. */
export type Pause = (ms: number, signal: AbortSignal) => Promise<void>;

/**
 * Follows the log and applies it to one projection, for ever. Only the instance that holds the lock does; the others
 * stand by. Whatever fails is tried again from the stored position: after an outage nothing is missed or doubled.
 */
export class ProjectionRunner implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #log = new Logger(ProjectionRunner.name);
  readonly #outages = new OutageLog(this.#log);
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #role: Role = 'starting';
  #position = 0;

  constructor(
    private readonly projection: Projection,
    private readonly feed: EventFeed,
    private readonly store: Pick<ProjectionStore, 'load' | 'commit'>,
    private readonly tryLock: TryLock,
    private readonly setAsides: Pick<SetAsides, 'add'>,
    private readonly pause: Pause = sleep,
  ) {}

  get role(): Role {
    return this.#role;
  }

  /** Why it does not go on at present; undefined while it does. */
  get outage(): string | undefined {
    return this.#outages.reason;
  }

  /** The last stream sequence this instance has applied or found applied. */
  get position(): number {
    return this.#position;
  }

  onApplicationBootstrap(): void {
    this.#running = this.#run();
  }

  /** Resolves when the batch that is being applied is committed. */
  async beforeApplicationShutdown(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    for (let failures = 0; !signal.aborted;) {
      try {
        await this.#takeTurn(signal, () => (failures = 0));
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof PositionMoved) {
          this.#log.log(`${error.message}; going on from where it stands`); // new rows have taken the old ones' place
          continue;
        }
        this.#role = 'waiting';
        this.#outages.failed(error);
        await this.pause(Math.min(200 * 2 ** failures++, MAX_PAUSE_MS), signal);
      }
    }
  }

  async #takeTurn(signal: AbortSignal, progress: () => void): Promise<void> {
    const lock = await this.tryLock();
    if (lock === undefined) return this.#standBy(signal);
    try {
      await this.#follow(AbortSignal.any([signal, lock.lost]), progress);
      if (lock.lost.aborted) throw lock.lost.reason;
    } finally {
      await lock.release();
    }
  }

  async #standBy(signal: AbortSignal): Promise<void> {
    if (this.#role !== 'standby') this.#log.log('Another instance projects; standing by');
    this.#role = 'standby';
    this.#outages.recovered();
    await this.pause(STANDBY_MS, signal);
  }

  async #follow(signal: AbortSignal, progress: () => void): Promise<void> {
    const { name, exclude } = this.projection;
    this.#position = await this.store.load(name);
    const began = this.#position;
    const isFollowing = () => {
      if (this.#role !== 'active') this.#log.log(`Projecting ${name} after stream sequence ${began}`);
      this.#role = 'active';
      this.#outages.recovered();
      progress();
    };
    // A feed that cannot be opened fails at once; one that has nothing new says nothing.
    const quiet = setTimeout(isFollowing, QUIET_MS);
    try {
      const start = { afterStreamSequence: began, exclude, signal, maxBatch: MAX_BATCH };
      for await (const batch of this.feed.batches(start)) {
        await this.#apply(batch);
        isFollowing();
        // A commit costs as much for one event as for a hundred: what comes meanwhile is one commit.
        if (batch.length < MAX_BATCH) await this.pause(GATHER_MS, signal);
        if (signal.aborted) return;
      }
    } finally {
      clearTimeout(quiet);
    }
  }

  async #apply(batch: readonly StoredEvent[]): Promise<void> {
    const last = batch.at(-1);
    if (last === undefined) return;
    const from = this.#position;
    await this.store.commit(this.projection.name, from, last.streamSequence, async (em) => {
      const poison = await this.projection.apply(em, batch);
      // Before the position moves: what was set aside is not met again.
      for (const each of poison) await this.setAsides.add(setAsideOf(each, batch));
    });
    this.#position = last.streamSequence;
  }
}

const setAsideOf = ({ streamSequence: place, reason }: Poison, batch: readonly StoredEvent[]): SetAside => {
  const stored = batch.find(({ streamSequence }) => streamSequence === place);
  const subject = stored ? subjectOf(stored) : '';
  const error = new EventNotProjected(reason);
  return { loop: 'projector', run: runOfSubject(subject), subject, place, attempts: 1, error };
};

const subjectOf = (stored: StoredEvent): string => {
  if (!('event' in stored)) return stored.subject;
  const { event } = stored;
  return 'runId' in event ? subjects.event(event) : subjects.threadEvent(event);
};

const MAX_BATCH = 1_000;
const GATHER_MS = 50;
const QUIET_MS = 500;
const STANDBY_MS = 1_000;
const MAX_PAUSE_MS = 5_000;

/** Ends early, and without an error, when there is no more reason to wait. */
async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}
