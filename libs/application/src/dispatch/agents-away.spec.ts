import { describe, expect, it } from '@jest/globals';
import { FACT_FIXTURES, RunId, TenantId, type RunEvent } from '@millrace/contracts';
import { stored } from '@millrace/testing';
import { DispatchQueue } from './dispatch-queue.js';
import type { WaitingRun } from './waiting-line.js';

const LIMITS = { maxActive: 10_000, maxActivePerTenant: 10_000 };
const tenantId = TenantId.parse('A'.padStart(26, '0'));
const runOf = (name: string) => RunId.parse(name.padStart(26, '0'));
const nameOf = ({ runId }: { readonly runId: string }) => runId.replace(/^0+/, '');

/** E1, E2, … are runs of echo; T1, T2, … of treadmill. */
const AGENTS: Readonly<Record<string, string>> = { E: 'echo', T: 'treadmill' };
const requested = (name: string): RunEvent =>
  stored([{ ...FACT_FIXTURES.RunRequested, agent: AGENTS[name[0]!]! }], { tenantId, runId: runOf(name) })[0]!;

const aQueue = (served: Set<string>, ...names: string[]) => {
  const queue = new DispatchQueue(LIMITS, (agent) => served.has(agent));
  names.forEach((name, at) => queue.evolve(requested(name), at + 1));
  return queue;
};

const startable = (queue: DispatchQueue): string[] => {
  const names: string[] = [];
  for (let run = queue.next(1_000); run; run = queue.next(1_000)) names.push(nameOf(run));
  return names;
};

describe('Runs of an agent whose workers are away', () => {
  it('let the others of their tenant pass, and are next when a worker comes', () => {
    const served = new Set(['echo']);
    const queue = aQueue(served, 'T1', 'E1', 'T2', 'E2');
    expect(startable(queue)).toEqual(['E1', 'E2']);
    served.add('treadmill');
    expect(startable(queue)).toEqual(['T1', 'T2']);
  });

  it('have their turn among the others when all are served: who came first is first', () => {
    expect(startable(aQueue(new Set(['echo', 'treadmill']), 'T1', 'E1', 'E2', 'T2', 'E3'))).toEqual([
      ...['T1', 'E1', 'E2', 'T2', 'E3'],
    ]);
  });

  it('hold no slot, and no more memory than any that wait', () => {
    const served = new Set<string>();
    const many = Array.from({ length: 500 }, (_, at) => `T${at + 1}`);
    const queue = aQueue(served, ...many);
    expect(startable(queue)).toEqual([]);
    for (const run of queue.unqueued(1_000)) queue.queued(run);
    const { lines, active } = queue.snapshot;
    expect([lines.length, lines[0]!.front.length, lines[0]!.untold, active]).toEqual([1, 64, [], []]);
    expect(lines[0]!.left).toMatchObject({ from: 65, to: 500 });
    expect(queue.wanted()).toEqual([]); // nothing is read for an agent that cannot start
    served.add('treadmill');
    expect(startable(queue)).toEqual(many.slice(0, 64));
    const places = Array.from({ length: 48 }, (_, at) => 65 + at);
    expect(queue.wanted()).toEqual([{ tenantId, agent: 'treadmill', left: { places } }]);
  });

  it('are not passed by a later one while theirs has to be read from the log', () => {
    const served = new Set(['echo', 'treadmill']);
    const many = Array.from({ length: 100 }, (_, at) => `T${at + 1}`);
    const queue = aQueue(served, ...many);
    for (const run of queue.unqueued(1_000)) queue.queued(run);
    queue.evolve(requested('E1'), 101);
    expect(startable(queue)).toEqual(many.slice(0, 64));
    const [wanted] = queue.wanted();
    const read: WaitingRun[] = many.slice(64).map((name, at) => ({
      ...{ tenantId, runId: runOf(name), agent: 'treadmill', isQueued: true, streamSequence: 65 + at },
    }));
    queue.refill(wanted!, 100, read);
    expect(startable(queue)).toEqual([...many.slice(64), 'E1']);
  });

  it('take no run of another agent that was read with theirs', () => {
    const served = new Set<string>();
    const queue = aQueue(served, ...Array.from({ length: 66 }, (_, at) => `T${at + 1}`));
    for (const run of queue.unqueued(1_000)) queue.queued(run);
    served.add('treadmill');
    startable(queue);
    const [wanted] = queue.wanted();
    const other = { tenantId, runId: runOf('E1'), agent: 'echo', isQueued: true, streamSequence: 66 };
    queue.refill(wanted!, 66, [{ ...other, runId: runOf('T66'), agent: 'treadmill' }, other]);
    served.add('echo');
    expect(startable(queue)).toEqual(['T66']);
  });

  it('wait on in the hands of whoever takes over', () => {
    const served = new Set(['echo']);
    const before = aQueue(served, 'T1', 'E1', 'T2');
    expect(nameOf(before.next(1_000)!)).toBe('E1'); // taken, and not started yet
    const queue = DispatchQueue.from(before.snapshot, LIMITS, (agent) => served.has(agent));
    expect(startable(queue)).toEqual(['E1']);
    served.add('treadmill');
    expect(startable(queue)).toEqual(['T1', 'T2']);
  });

  it('wait again, in front, when the last worker went while they were taken', () => {
    const queue = aQueue(new Set(['echo']), 'E1', 'E2');
    const taken = queue.next(1_000)!;
    queue.wait(taken);
    expect(queue.snapshot.active).toEqual([]);
    expect(startable(queue)).toEqual(['E1', 'E2']);
  });

  it('leave nothing behind when they are canceled', () => {
    const queue = aQueue(new Set(), 'T1');
    queue.evolve(stored([FACT_FIXTURES.RunCancelRequested], { tenantId, runId: runOf('T1') })[0]!, 2);
    queue.evolve(stored([FACT_FIXTURES.RunCanceled], { tenantId, runId: runOf('T1') })[0]!, 3);
    expect(queue.snapshot.lines).toEqual([]);
  });
});
