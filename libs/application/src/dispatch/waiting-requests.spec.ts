import { ManualClock, memoryPlatform } from '@millrace/adapter-memory';
import { describe, expect, it } from '@jest/globals';
import { RunId, type RunRef, subjects, TenantId } from '@millrace/contracts';
import { type RequestedRun, RunRequests } from '@millrace/ports';
import type { RunCommand } from '@millrace/run-domain';
import { requestRun } from '@millrace/testing';
import { RunCommandHandler } from '../run-command-handler.js';
import { findWaiting } from './waiting-requests.js';

const tenantId = TenantId.parse('01JD0000000000000000000001');

/** A tenant's requests, and how far each page was asked for at least. */
class NotedRequests extends RunRequests {
  readonly places: number[] = [];
  readonly atLeast: number[] = [];

  constructor(private readonly requests: RunRequests) {
    super();
  }

  page(...asked: Parameters<RunRequests['page']>): Promise<readonly RequestedRun[]> {
    this.atLeast.push(asked[3]);
    return this.requests.page(...asked);
  }
}

const aWorld = () => {
  const platform = memoryPlatform({ clock: new ManualClock() });
  const requests = new NotedRequests(platform.requests);
  const ports = { ...platform, log: platform.runs, requests };
  const handler = new RunCommandHandler(ports);
  const nextRun = (): RunRef => ({
    tenantId,
    runId: RunId.parse(String(requests.places.length + 1).padStart(26, '0')),
  });
  const requestAs = async (about: object, ...then: ((run: RunRef) => RunCommand)[]): Promise<RunRef> => {
    const run = nextRun();
    await handler.handle({ ...requestRun(), ...about, ...run });
    requests.places.push((await platform.runs.tail(run)).streamSequence);
    for (const command of then) await handler.handle(command(run));
    return run;
  };
  const request = (...then: ((run: RunRef) => RunCommand)[]) => requestAs({}, ...then);
  const storeNonsense = (): RunRef => {
    const run = nextRun();
    const subject = subjects.event({ ...run, kind: 'RunRequested' });
    requests.places.push(platform.store.runs.store({ subject, data: 'no event' }).place);
    return run;
  };
  const find = async (from = 1, to = requests.places.at(-1)!) => findWaiting(ports, tenantId, { from, to });
  return { requests, request, requestAs, storeNonsense, find };
};

const queue = (run: RunRef): RunCommand => ({ kind: 'QueueRun', ...run, waitingFor: 'slot' });
const start = (run: RunRef): RunCommand => ({ kind: 'StartRun', ...run, agentVersion: '1' });
const cancel = (run: RunRef): RunCommand => ({ kind: 'CancelRun', ...run, requestedBy: 'ada' });

describe('Runs that wait, as the log tells', () => {
  it('are those that were requested, told so or not, and nothing else', async () => {
    const { request, requestAs, find } = aWorld();
    const plain = await request();
    const told = await request(queue);
    await request(start);
    await request(queue, start);
    await request(cancel);
    await request(queue, cancel);
    await requestAs({ improvedBy: plain.runId }); // the dispatcher has it in memory until it is started
    const { runs } = await find();
    expect(runs).toMatchObject([
      { ...plain, isQueued: false, agent: requestRun().agent },
      { ...told, isQueued: true, agent: requestRun().agent },
    ]);
  });

  it('are read in handfuls, up to the place that was asked for and no further', async () => {
    const { request, find, requests } = aWorld();
    for (let at = 0; at < 60; at += 1) await request();
    const to = requests.places[54]!;
    const first = await find(1, to);
    expect(first.runs).toHaveLength(48);
    expect(first.through).toBe(requests.places[47]!);
    const second = await find(first.through + 1, to);
    expect(second.runs.map(({ streamSequence }) => streamSequence)).toEqual(requests.places.slice(48, 55));
    expect(second.through).toBe(to);
  });

  it('are asked for at least up to the place where one is known to lie', async () => {
    const { request, find, requests } = aWorld();
    for (let at = 0; at < 3; at += 1) await request();
    await find(1, 2);
    expect(requests.atLeast).toEqual([2]);
  });

  it('are found although the history of one of them cannot be read', async () => {
    const { request, storeNonsense, find } = aWorld();
    const [one, broken, other] = [await request(), storeNonsense(), await request()];
    const { runs, unreadable } = await find();
    expect(runs).toMatchObject([one, other]);
    expect(unreadable).toMatchObject([{ run: broken, error: { code: 'EVENT_INVALID' } }]);
  });
});
