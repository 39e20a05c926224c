import { afterEach, describe, expect, it } from '@jest/globals';
import { RunId, type RunEvent, type RunRef, subjects } from '@millrace/contracts';
import { announcementOf, aRunRef, eventPoisons, type Poison, requestRun } from '@millrace/testing';
import { SpecPlatform } from '@millrace/testing/simulation';
import { AnnouncedAgents } from '../api/announced.for-spec.js';
import type { SetAside } from '../set-aside.js';
import { DISPATCH_KINDS, type DispatchLimits } from './dispatch-queue.js';
import { Dispatcher } from './dispatcher.js';

/** Agents that a worker has, each in version 1. */
const served = (...ids: string[]): AnnouncedAgents => {
  const agents = new AnnouncedAgents(Object.fromEntries(ids.map((id) => [id, undefined])));
  agents.serve(...ids.map((id): [string, string] => [id, '1']));
  return agents;
};

/** A dispatcher on a platform in memory, by a clock that is moved by hand; nobody moves the runs it starts. */
class DispatchWorld extends SpecPlatform {
  readonly told: SetAside[] = [];
  readonly notes: string[] = [];
  readonly #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #runs = 0;

  constructor(
    private readonly agents = served('echo'),
    private readonly limits: Partial<DispatchLimits> = {},
  ) {
    super();
  }

  start(): void {
    const { platform } = this;
    const note = (name: string) => (run: RunRef, cause: unknown) => void this.notes.push(`${name}: ${String(cause)}`);
    const dispatcher = new Dispatcher(
      {
        ...platform,
        log: platform.runs,
        agents: this.agents.known,
        wake: async () => {},
        offer: async () => {},
      },
      { maxActive: 100, maxActivePerTenant: 100, standingAfterMs: 30_000, ...this.limits },
      {
        leading: () => {},
        interrupted: (cause) => void this.notes.push(`interrupted: ${String(cause)}`),
        snapshotUnusable: (cause) => void this.notes.push(`snapshot: ${String(cause)}`),
        sweepFailed: (cause) => void this.notes.push(`sweep: ${String(cause)}`),
        delayed: note('delayed'),
        stranded: note('stranded'),
        standing: () => {},
        setAside: (what) => void this.told.push(what),
      },
    );
    this.#running = dispatcher.run(this.#stopping.signal);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.quiet();
    await this.#running;
  }

  nextRun(): RunRef {
    return { ...aRunRef, runId: RunId.parse(String((this.#runs += 1)).padStart(26, '0')) };
  }

  store({ subject, data }: Pick<Poison, 'subject' | 'data'>): void {
    this.platform.store.runs.store({ subject, data });
  }

  async request(agent = 'echo'): Promise<RunRef> {
    const run = this.nextRun();
    await this.handler.handle({ ...requestRun(), ...run, agent });
    return run;
  }

  override async kinds(run: RunRef): Promise<RunEvent['kind'][]> {
    await this.quiet();
    return super.kinds(run);
  }
}

let world: DispatchWorld;
afterEach(() => world.stop());

describe('The dispatcher, given in the log', () => {
  const poisons = DISPATCH_KINDS.flatMap((kind) =>
    eventPoisons({ ...aRunRef, runId: RunId.parse('01JD00000000000000000000ZZ') }, kind)
      .filter(({ headers }) => headers === undefined) // for a store with headers
      .map((poison) => [kind, poison.sort, poison] as const),
  );

  it.each(poisons)('a %s that %s, sets it aside, says so once, and starts the next run', async (_, _sort, poison) => {
    world = new DispatchWorld();
    world.store(poison);
    world.start();
    expect(await world.kinds(await world.request())).toContain('RunStarted');
    expect(world.told).toMatchObject([{ loop: 'dispatcher', subject: poison.subject, place: 1 }]);
    expect(await world.platform.deadLetters.list(10)).toMatchObject([
      { consumer: 'dispatcher', subject: poison.subject, streamSequence: 1 },
    ]);
    expect(world.notes).toEqual([]);
  });

  it('an event that its queue makes nothing of, does the same', async () => {
    world = new DispatchWorld();
    const run = world.nextRun();
    const subject = subjects.event({ ...run, kind: 'RunRequested' });
    const broken = Object.defineProperty({ kind: 'RunRequested', ...run }, 'tenantId', {
      get: onlyTheSecondTime(run.tenantId),
    });
    world.platform.store.runs.store({ subject, data: '{}', stored: { event: broken as RunEvent } });
    world.start();
    expect(await world.kinds(await world.request())).toContain('RunStarted');
    expect(world.told).toMatchObject([{ subject, error: expect.objectContaining({ message: 'broken' }) }]);
  });

  it('the same again after a restart, does not say it again', async () => {
    world = new DispatchWorld();
    world.store(eventPoisons(world.nextRun(), 'RunRequested')[0]!);
    world.start();
    await world.quiet();
    expect(world.told).toHaveLength(1);
    await world.stop();
    const restarted = Object.assign(new DispatchWorld(), { platform: world.platform });
    world = restarted;
    world.start();
    await world.quiet();
    expect(world.told).toEqual([]);
  });
});

/** The queue is the first to ask; whoever sets the event aside asks again. */
const onlyTheSecondTime = (value: string) => {
  let asked = 0;
  return () => {
    asked += 1;
    if (asked === 1) throw new TypeError('broken');
    return value;
  };
};

describe('The dispatcher', () => {
  it('sets a run aside whose history cannot be read, and starts the others', async () => {
    world = new DispatchWorld();
    const broken = await world.request();
    world.store({ subject: subjects.event({ ...broken, kind: 'GraphEdited' }), data: 'no event' });
    const fine = await world.request();
    world.start();
    expect(await world.kinds(fine)).toContain('RunStarted');
    expect(world.told).toMatchObject([{ loop: 'dispatcher', run: broken, error: { code: 'EVENT_INVALID' } }]);
  });

  it('lets a run wait whose agent no worker has, and starts the others', async () => {
    world = new DispatchWorld(served('echo'), { maxActive: 1 });
    const [waiting, fine] = [await world.request('gone'), await world.request()];
    world.start();
    await world.advance(120_000);
    expect(await world.kinds(waiting)).toEqual(['RunRequested', 'RunQueued']);
    expect(await world.kinds(fine)).toEqual(['RunRequested', 'RunStarted']);
    expect([world.notes, world.told]).toEqual([[], []]);
  });

  it('gives the slot of a run whose agent is gone to the next one, and says so once', async () => {
    const agents = served('echo');
    world = new DispatchWorld(agents, { maxActive: 1 });
    const stranded = await world.request();
    const next = await world.request();
    world.start();
    expect([await world.kinds(stranded), await world.kinds(next)]).toEqual([
      ['RunRequested', 'RunStarted'],
      ['RunRequested', 'RunQueued'],
    ]);
    await world.platform.tasks.offerRun({
      ...{ version: '1', work: 'run', ...stranded, agent: 'echo', agentVersion: '1', place: 1 },
    });
    agents.announce(announcementOf('echo', { version: '2' }));
    agents.serve(['echo', '2']);
    await world.advance(120_000);
    expect((await world.kinds(next)).at(-1)).toBe('RunStarted');
    expect(world.notes).toEqual([expect.stringContaining('stranded: no worker has agent echo 1')]);
  });

  it('reads the log anew when what was saved cannot be used', async () => {
    world = new DispatchWorld();
    await world.platform.snapshots.save('dispatcher-3', { streamSequence: 7, lines: 'nonsense' });
    const run = await world.request();
    world.start();
    expect(await world.kinds(run)).toContain('RunStarted');
    expect(world.notes).toEqual([expect.stringContaining('snapshot: ')]);
  });
});
