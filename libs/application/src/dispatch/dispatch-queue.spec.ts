import { describe, expect, it } from '@jest/globals';
import { FACT_FIXTURES, RunId, TenantId, type RunEvent, type RunEventKind } from '@millrace/contracts';
import { stored } from '@millrace/testing';
import { type DispatchLimits, DispatchQueue } from './dispatch-queue.js';

const tenantOf = (name: string) => TenantId.parse(name.padStart(26, '0'));
const runOf = (name: string) => RunId.parse(name.padStart(26, '0'));

const happened = (kind: RunEventKind, tenant: string, run: string): RunEvent =>
  stored([FACT_FIXTURES[kind]], { tenantId: tenantOf(tenant), runId: runOf(run) })[0]!;

let place = 0;
const hear = (queue: DispatchQueue, ...events: RunEvent[]): void => {
  for (const event of events) queue.evolve(event, (place += 1));
};

const aQueue = (limits: Partial<DispatchLimits> = {}, ...events: RunEvent[]) => {
  const queue = new DispatchQueue({ maxActive: 100, maxActivePerTenant: 100, ...limits });
  hear(queue, ...events);
  return queue;
};

const requests = (tenant: string, ...runs: string[]) => runs.map((run) => happened('RunRequested', tenant, run));

/** The names of the runs that may start now, in their order. */
const startable = (queue: DispatchQueue, nowMs = 1_000): string[] => {
  const names: string[] = [];
  for (let run = queue.next(nowMs); run; run = queue.next(nowMs)) names.push(run.runId.replace(/^0+/, ''));
  return names;
};

describe('The dispatch queue', () => {
  it('lets tenants take turns, and within a tenant who came first', () => {
    const queue = aQueue({}, ...requests('A', 'A1', 'A2', 'A3'), ...requests('B', 'B1'), ...requests('C', 'C1', 'C2'));
    expect(startable(queue)).toEqual(['A1', 'B1', 'C1', 'A2', 'C2', 'A3']);
  });

  it('gives a tenant that comes late the next slot, however many wait before it', () => {
    const many = Array.from({ length: 2_000 }, (_, at) => `A${at + 1}`);
    const queue = aQueue({ maxActive: 1 }, ...requests('A', ...many));
    expect(startable(queue)).toEqual(['A1']);
    hear(queue, ...requests('B', 'B1'));
    expect(startable(queue)).toEqual([]);
    hear(queue, happened('RunFinished', 'A', 'A1'));
    expect(startable(queue)).toEqual(['B1']);
  });

  it('gives a tenant that comes back at once no more than its turn', () => {
    const queue = aQueue({ maxActive: 1 }, ...requests('A', 'A1', 'A2', 'A3'), ...requests('B', 'B1'));
    const served: string[] = [];
    for (let next = 2; next < 6; next += 1) {
      const [name = ''] = startable(queue);
      served.push(name);
      hear(queue, happened('RunFinished', name[0]!, name));
      if (name.startsWith('B')) hear(queue, ...requests('B', `B${next}`));
    }
    expect(served.map((name) => name[0])).toEqual(['A', 'B', 'A', 'B']);
  });

  it('holds a tenant to its cap and all of them to the cap for all', () => {
    const events = [...requests('A', 'A1', 'A2', 'A3'), ...requests('B', 'B1', 'B2')];
    expect(startable(aQueue({ maxActivePerTenant: 2 }, ...events))).toEqual(['A1', 'B1', 'A2', 'B2']);
    expect(startable(aQueue({ maxActive: 3 }, ...events))).toEqual(['A1', 'B1', 'A2']);
  });

  it('holds a tenant to its start rate, and knows when the next may start', () => {
    const queue = aQueue(
      { startsPerSecondPerTenant: 2 },
      ...requests('A', 'A1', 'A2', 'A3', 'A4'),
      ...requests('B', 'B1'),
    );
    expect(startable(queue, 1_000)).toEqual(['A1', 'B1', 'A2']);
    expect(queue.nextStartInMs(1_000)).toBe(500);
    expect(startable(queue, 1_400)).toEqual([]);
    expect(startable(queue, 1_500)).toEqual(['A3']);
    expect(startable(queue, 2_000)).toEqual(['A4']);
    expect(queue.nextStartInMs(2_000)).toBeUndefined();
  });

  it.each(['RunFinished', 'RunFailed', 'RunCanceled', 'NodeSuspended'] as const)(
    'gives the slot on after %s',
    (kind) => {
      const queue = aQueue({ maxActive: 1 }, ...requests('A', 'A1', 'A2'));
      expect(startable(queue)).toEqual(['A1']);
      hear(queue, happened(kind, 'A', 'A1'));
      expect(startable(queue)).toEqual(['A2']);
    },
  );

  it('counts a run again that was answered, and lets nobody in for it', () => {
    const queue = aQueue({ maxActive: 1 }, ...requests('A', 'A1', 'A2'));
    startable(queue);
    hear(queue, happened('NodeSuspended', 'A', 'A1'));
    hear(queue, happened('InputProvided', 'A', 'A1'));
    expect(startable(queue)).toEqual([]);
  });

  it('forgets a run that is canceled while it waits', () => {
    const queue = aQueue({ maxActive: 1 }, ...requests('A', 'A1', 'A2'), happened('RunCancelRequested', 'A', 'A1'));
    expect(startable(queue)).toEqual(['A2']);
  });

  it('names those who have not been told that they wait', () => {
    const queue = aQueue({ maxActive: 1 }, ...requests('A', 'A1', 'A2', 'A3'), happened('RunQueued', 'A', 'A2'));
    startable(queue);
    expect(queue.unqueued(10).map(({ runId }) => runId)).toEqual([runOf('A3')]);
    queue.queued({ tenantId: tenantOf('A'), runId: runOf('A3') });
    expect(queue.unqueued(10)).toEqual([]);
  });

  it('goes on from a snapshot; a run that was being started is started again', () => {
    const limits = { maxActive: 2, maxActivePerTenant: 100 };
    const queue = aQueue(limits, ...requests('A', 'A1', 'A2', 'A3'));
    startable(queue);
    hear(queue, happened('RunStarted', 'A', 'A1'));
    const copy = DispatchQueue.from(JSON.parse(JSON.stringify(queue.snapshot)) as typeof queue.snapshot, limits);
    expect(startable(copy)).toEqual(['A2']);
    hear(copy, happened('RunFinished', 'A', 'A1'));
    expect(startable(copy)).toEqual(['A3']);
  });

  it('puts a run that could not be started before the others of its tenant', () => {
    const queue = aQueue({ maxActive: 1 }, ...requests('A', 'A1', 'A2'));
    const run = queue.next(0)!;
    queue.putAside(run);
    queue.putBack(run);
    expect(startable(queue)).toEqual(['A1']);
  });

  it('puts back a run that was told that it waits while it was to be started, when that fails', () => {
    const queue = aQueue({ maxActive: 1 }, ...requests('A', 'A1'));
    const run = queue.next(0)!;
    hear(queue, happened('RunQueued', 'A', 'A1')); // appended before, and fed back only now
    queue.putAside(run);
    queue.putBack(run);
    expect(startable(queue)).toEqual(['A1']);
  });

  it('gives the place of a run on that was refused, once', () => {
    const queue = aQueue({ maxActive: 1 }, ...requests('A', 'A1', 'A2', 'A3'));
    const refused = queue.next(0)!;
    queue.giveBack(refused);
    expect(startable(queue)).toEqual(['A2']);
    queue.giveBack(refused);
    expect(startable(queue)).toEqual([]);
  });

  it('keeps the place of a run that another dispatcher has started', () => {
    const queue = aQueue({ maxActive: 1 }, ...requests('A', 'A1', 'A2'));
    const started = queue.next(0)!;
    hear(queue, happened('RunStarted', 'A', 'A1'));
    queue.giveBack(started);
    expect(startable(queue)).toEqual([]);
  });

  it('leaves very many to the log, asks for them in time, and starts none of them twice', () => {
    const many = Array.from({ length: 100 }, (_, at) => `A${at + 1}`);
    const queue = aQueue({ maxActive: 1_000, maxActivePerTenant: 1_000 }, ...requests('A', ...many));
    for (const run of queue.unqueued(1_000)) queue.queued(run);
    hear(queue, happened('RunStarted', 'A', 'A70'));
    const waiting = queue.snapshot.lines[0]!.front;
    const served = startable(queue);
    const [wanted] = queue.wanted();
    const left = many.slice(served.length).map((name) => ({ ...waiting[0]!, runId: runOf(name), isQueued: true }));
    queue.refill(wanted!, queue.snapshot.lines[0]!.left!.to, left);
    const all = [...served, ...startable(queue)];
    expect(all).toEqual(many.filter((name) => name !== 'A70'));
    expect(queue.wanted()).toEqual([]);
  });

  it('is saved in one message, however many wait in it', () => {
    const queue = aQueue({}, ...requests('B', ...Array.from({ length: 100 }, (_, at) => `B${at + 1}`)));
    const [first] = requests('A', 'A1');
    const farApart = (at: number) => (at + 1) * 2 ** 38; // six bytes for each
    for (let at = 0; at < 25_000; at += 1) {
      queue.evolve({ ...first!, runId: runOf(`A${at}`) }, farApart(at));
    }
    for (const run of queue.unqueued(Infinity)) queue.queued(run);
    const { lines } = queue.snapshot;
    expect(JSON.stringify(lines).length).toBeLessThan(256 * 1024);
    expect(lines.map(({ left }) => left?.to)).toEqual([expect.any(Number), farApart(24_999)]);
    const copy = DispatchQueue.from(queue.snapshot, { maxActive: 0, maxActivePerTenant: 0 });
    expect(copy.snapshot).toEqual(queue.snapshot);
  });
});

describe('A run that is to be improved first', () => {
  const { improvementRunId: improvedBy } = FACT_FIXTURES.ImprovementProvided;
  const [held] = stored([{ ...FACT_FIXTURES.RunRequested, improvedBy }], {
    tenantId: tenantOf('A'),
    runId: runOf('A1'),
  });

  it.each(['ImprovementProvided', 'GoalAchieved'] as const)('waits for its turn only from %s on', (released) => {
    const queue = aQueue({}, held!, ...requests('A', 'A2'));
    expect(queue.unqueued(10).map(({ runId }) => runId)).toEqual([runOf('A2')]);
    expect(startable(queue)).toEqual(['A2']);
    hear(queue, happened(released, 'A', 'A1'));
    expect(startable(queue)).toEqual(['A1']);
  });

  it('is kept in memory, and has its turn before those that are left to the log', () => {
    const many = Array.from({ length: 100 }, (_, at) => `A${at + 2}`);
    const queue = aQueue({}, held!, ...requests('A', ...many));
    for (const run of queue.unqueued(1_000)) queue.queued(run);
    const [left] = queue.snapshot.lines.map((line) => line.left);
    hear(queue, happened('ImprovementProvided', 'A', 'A1'));
    expect(queue.snapshot.lines[0]!.left).toEqual(left);
    expect(startable(queue).at(-1)).toBe('A1');
    expect(queue.wanted()).toMatchObject([{ left: { places: expect.arrayContaining([left!.from, left!.to]) } }]);
  });

  it('waits on in the hands of whoever takes over', () => {
    const queue = DispatchQueue.from(aQueue({}, held!).snapshot, { maxActive: 1, maxActivePerTenant: 1 });
    expect(startable(queue)).toEqual([]);
    hear(queue, happened('ImprovementProvided', 'A', 'A1'));
    expect(startable(queue)).toEqual(['A1']);
  });

  it.each(['RunCancelRequested', 'RunFailed'] as const)('is forgotten after %s', (kind) => {
    const queue = aQueue({}, held!, happened(kind, 'A', 'A1'), happened('ImprovementProvided', 'A', 'A1'));
    expect(startable(queue)).toEqual([]);
    expect(queue.snapshot.held).toEqual([]);
  });
});

it('A run that is being started stays so, whatever is said of it, until it has started', () => {
  const queue = aQueue({}, ...requests('A', 'A1'));
  expect(startable(queue)).toEqual(['A1']);
  hear(queue, happened('GoalAchieved', 'A', 'A1'));
  expect(queue.snapshot.lines[0]!.front).toHaveLength(1);
});
