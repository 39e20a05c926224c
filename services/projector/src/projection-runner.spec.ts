import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { PositionMoved } from '@millrace/adapter-postgres';
import type { SetAside } from '@millrace/application';
import { eventFixture } from '@millrace/contracts';
import { aRunRef, eventPoisons } from '@millrace/testing';
import { EventFeed, type FeedStart, type StoredEvent } from '@millrace/ports';
import { Logger } from '@nestjs/common';
import { once } from 'node:events';
import type { Projection } from './projection.js';
import { poisonOf } from './read-models.projection.js';
import { type Pause, ProjectionRunner, type TryLock } from './projection-runner.js';

beforeEach(() => {
  Logger.overrideLogger(false);
});

const storedAt = '2026-01-12T10:00:00.000Z';
const at = (streamSequence: number): StoredEvent => ({ streamSequence, storedAt, event: eventFixture('RunStarted') });

/** Gives what it holds after the position that is asked for, then waits for the end. */
class HeldFeed extends EventFeed {
  readonly asked: number[] = [];
  constructor(private readonly held: StoredEvent[][]) {
    super();
  }
  async *batches({ afterStreamSequence, signal }: FeedStart): AsyncIterable<readonly StoredEvent[]> {
    this.asked.push(afterStreamSequence);
    for (const batch of this.held) if ((batch[0]?.streamSequence ?? 0) > afterStreamSequence) yield batch;
    if (!signal.aborted) await once(signal, 'abort');
  }
  async backlog() {
    return { count: this.held.flat().length, oldest: this.held[0]?.[0] };
  }
}

/** A store whose commits fail as often as told, and which tells when it has come to a position. */
class HeldStore {
  position = 0;
  failures: Error[] = [];
  beforeCommit: (() => Promise<void>) | undefined;
  #waiting: { position: number; resolve: () => void }[] = [];

  async load(): Promise<number> {
    return this.position;
  }
  async commit(_name: string, from: number, to: number, work: (em: never) => Promise<void>): Promise<void> {
    await this.beforeCommit?.();
    const failure = this.failures.shift();
    if (failure !== undefined) throw failure;
    expect(from).toBe(this.position);
    await work(undefined as never);
    this.position = to;
    for (const { position, resolve } of this.#waiting) if (position <= to) resolve();
  }
  reaches(position: number): Promise<void> {
    return new Promise((resolve) => this.#waiting.push({ position, resolve }));
  }
}

let applied: number[];
let setAside: SetAside[];
let store: HeldStore;
let runner: ProjectionRunner | undefined;
beforeEach(() => {
  applied = [];
  setAside = [];
  store = new HeldStore();
});
afterEach(() => runner?.beforeApplicationShutdown());

const projection: Projection = {
  name: 'spec',
  exclude: [],
  apply: async (_em, batch) => {
    applied.push(...batch.map(({ streamSequence }) => streamSequence));
    return batch.flatMap((stored) => ('invalid' in stored ? [poisonOf(stored, stored.invalid)] : []));
  },
};

const alone: TryLock = async () => ({ lost: new AbortController().signal, release: async () => undefined });

function run(feed: EventFeed, tryLock: TryLock = alone, pause?: Pause): ProjectionRunner {
  const setAsides = { add: async (what: SetAside) => void setAside.push(what) };
  runner = new ProjectionRunner(projection, feed, store, tryLock, setAsides, pause);
  runner.onApplicationBootstrap();
  return runner;
}

describe('ProjectionRunner', () => {
  it('goes on after the stored position and commits batch by batch', async () => {
    store.position = 4;
    const feed = new HeldFeed([[at(3), at(4)], [at(5), at(7)], [at(9)]]);
    const reached = store.reaches(9);
    const running = run(feed);
    await reached;
    expect([feed.asked, applied]).toEqual([[4], [5, 7, 9]]);
    await running.beforeApplicationShutdown();
    expect([running.role, running.position]).toEqual(['active', 9]);
  });

  it('begins again at the stored position after a failure, so that nothing is missed or doubled', async () => {
    store.failures = [new Error('PostgreSQL restarts')];
    const feed = new HeldFeed([[at(1)], [at(2)]]);
    const reached = store.reaches(2);
    run(feed);
    await reached;
    expect([feed.asked, applied]).toEqual([
      [0, 0],
      [1, 2],
    ]);
  });

  it('goes on from where the position was moved to, as if nothing had happened', async () => {
    store.failures = [new PositionMoved('Projection spec does not stand at 0 any more')];
    store.beforeCommit = async () => void (store.position = Math.max(store.position, 2));
    const feed = new HeldFeed([[at(1)], [at(2)], [at(3)]]);
    const reached = store.reaches(3);
    const running = run(feed);
    await reached;
    expect([feed.asked, applied, running.outage]).toEqual([[0, 2], [3], undefined]);
  });

  it('stands by while another instance projects, and takes over when that one is gone', async () => {
    let isFree = false;
    const feed = new HeldFeed([[at(1)]]);
    const reached = store.reaches(1);
    const running = run(feed, async () => {
      if (isFree) return alone();
      isFree = true;
      return undefined;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect([running.role, feed.asked]).toEqual(['standby', []]);
    await reached;
    await running.beforeApplicationShutdown();
    expect([running.role, applied]).toEqual(['active', [1]]);
  });

  it('stops at once when its lock is lost, and asks for it again', async () => {
    const first = new AbortController();
    let asked = 0;
    const feed = new HeldFeed([[at(1)]]);
    const reached = store.reaches(1);
    const again = new Promise<void>((resolve) => {
      run(feed, async () => {
        if (++asked === 2) resolve();
        return asked === 1 ? { lost: first.signal, release: async () => undefined } : alone();
      });
    });
    await reached;
    first.abort(new Error('the connection is gone'));
    await again;
    expect(applied).toEqual([1]);
  });

  it('finishes the batch it is at before it stops', async () => {
    let letGo = () => {};
    const begun = new Promise<void>((resolve) => {
      store.beforeCommit = () => {
        resolve();
        return new Promise((finish) => (letGo = finish));
      };
    });
    const running = run(new HeldFeed([[at(1)]]));
    await begun;
    const stopped = running.beforeApplicationShutdown();
    letGo();
    await stopped;
    expect([store.position, applied]).toEqual([1, [1]]);
  });

  it.each(eventPoisons(aRunRef, 'RunStarted').map((poison) => [poison.sort, poison] as const))(
    'moves past an event that %s, and sets it aside',
    async (sort, { subject }) => {
      const reached = store.reaches(2);
      run(new HeldFeed([[{ streamSequence: 1, storedAt, subject, invalid: sort }, at(2)]]));
      await reached;
      expect(store.position).toBe(2);
      expect(setAside).toEqual([
        {
          ...{ loop: 'projector', run: aRunRef, subject, place: 1, attempts: 1 },
          error: expect.objectContaining({ code: 'EVENT_NOT_PROJECTED', message: sort }),
        },
      ]);
    },
  );

  it('lets events gather after a small batch, and takes a full one after the other', async () => {
    const full = Array.from({ length: 1_000 }, (_, index) => at(index + 1));
    const feed = new HeldFeed([full, [at(1_001)], [at(1_002)]]);
    const pauses = new HeldPauses();
    run(feed, alone, pauses.pause);
    await pauses.begun(1);
    expect(store.position).toBe(1_001);
    pauses.end();
    await pauses.begun(2);
    expect(store.position).toBe(1_002);
  });

  it('stops while events gather, without waiting for more', async () => {
    const pauses = new HeldPauses();
    const running = run(new HeldFeed([[at(1)], [at(2)]]), alone, pauses.pause);
    await pauses.begun(1);
    await running.beforeApplicationShutdown();
    expect(applied).toEqual([1]);
  });
});

/** Pauses that end when told, or when their reason is gone. */
class HeldPauses {
  #count = 0;
  #end = () => {};
  #waiting: { count: number; resolve: () => void }[] = [];

  readonly pause: Pause = (_ms, signal) => {
    this.#count += 1;
    for (const { count, resolve } of this.#waiting) if (count <= this.#count) resolve();
    return new Promise((resolve) => {
      this.#end = resolve;
      signal.addEventListener('abort', () => resolve());
    });
  };
  begun(count: number): Promise<void> {
    return new Promise((resolve) => (count <= this.#count ? resolve() : this.#waiting.push({ count, resolve })));
  }
  end(): void {
    this.#end();
  }
}
