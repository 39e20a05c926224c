import { ManualClock, memoryPlatform } from '@millrace/adapter-memory';
import { describe, expect, it } from '@jest/globals';
import { RunId, type RunRef, subjects, TenantId } from '@millrace/contracts';
import { type RequestedRun, RunRequests } from '@millrace/ports';
import type { RunCommand } from '@millrace/run-domain';
import { requestRun } from '@millrace/testing';
import { RunCommandHandler } from '../run-command-handler.js';
import { findWaiting, locateRequests } from './waiting-requests.js';

const tenantId = TenantId.parse('01JD0000000000000000000001');

/** A tenant's requests, where they lie, and how far each search had to go at least. */
class NotedRequests extends RunRequests {
  readonly places: number[] = [];
  readonly atLeast: number[] = [];

  constructor(private readonly requests: RunRequests) {
    super();
  }

  at(...asked: Parameters<RunRequests['at']>): Promise<readonly RequestedRun[]> {
    return this.requests.at(...asked);
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
  const find = (places = requests.places) => findWaiting(ports, tenantId, places);
  const locate = (from: number, to: number) => locateRequests(requests, tenantId, { from, to });
  return { requests, request, requestAs, storeNonsense, find, locate };
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

  it('are found by their places, wherever these lie', async () => {
    const { request, find, requests } = aWorld();
    for (let at = 0; at < 5; at += 1) await request(queue);
    const wanted = [requests.places[1]!, requests.places[4]!];
    const { runs } = await find(wanted);
    expect(runs.map(({ streamSequence }) => streamSequence)).toEqual(wanted);
  });

  it('are found although the history of one of them cannot be read', async () => {
    const { request, storeNonsense, find } = aWorld();
    const [one, broken, other] = [await request(), storeNonsense(), await request()];
    const { runs, unreadable } = await find();
    expect(runs).toMatchObject([one, other]);
    expect(unreadable).toMatchObject([{ run: broken, error: { code: 'EVENT_INVALID' } }]);
  });
});

describe('Places of requests', () => {
  it('are searched for up to the place that is asked for and no further', async () => {
    const { request, locate, requests } = aWorld();
    for (let at = 0; at < 5; at += 1) await request(queue);
    const to = requests.places[3]!;
    expect(await locate(requests.places[1]!, to)).toEqual({ places: requests.places.slice(1, 4), through: to });
    expect(requests.atLeast).toEqual([to]); // one is known to lie there: a replica without it does not answer
  });

  it('come many at a time, and tell how far the search went', async () => {
    const { request, locate, requests } = aWorld();
    for (let at = 0; at < 1_002; at += 1) await request();
    const { places, through } = await locate(1, requests.places.at(-1)!);
    expect([places.length, through]).toEqual([1_000, requests.places[999]]);
    expect(await locate(through + 1, requests.places.at(-1)!)).toEqual({
      places: requests.places.slice(1_000),
      through: requests.places.at(-1),
    });
  });
});
