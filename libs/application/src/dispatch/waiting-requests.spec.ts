import { CountingEventIds, InMemoryRunLog, ManualClock } from '@millrace/adapter-memory';
import { describe, expect, it } from '@jest/globals';
import { RunId, type RunRef, TenantId } from '@millrace/contracts';
import { type RequestedRun, RunRequests } from '@millrace/ports';
import type { RunCommand } from '@millrace/run-domain';
import { requestRun } from '@millrace/testing';
import { RunCommandHandler } from '../run-command-handler.js';
import { findWaiting } from './waiting-requests.js';

const tenantId = TenantId.parse('01JD0000000000000000000001');

class ListedRequests extends RunRequests {
  readonly listed: RequestedRun[] = [];
  readonly atLeast: number[] = [];

  async page(_: TenantId, from: number, limit: number, atLeast: number): Promise<readonly RequestedRun[]> {
    this.atLeast.push(atLeast);
    return this.listed.filter(({ streamSequence }) => streamSequence >= from).slice(0, limit);
  }
}

const aWorld = () => {
  const log = new InMemoryRunLog();
  const requests = new ListedRequests();
  const handler = new RunCommandHandler({ log, ids: new CountingEventIds(), clock: new ManualClock() });
  const requestAs = async (about: object, ...then: ((run: RunRef) => RunCommand)[]): Promise<RunRef> => {
    const run = { tenantId, runId: RunId.parse(String(requests.listed.length + 1).padStart(26, '0')) };
    await handler.handle({ ...requestRun(), ...about, ...run });
    requests.listed.push({ runId: run.runId, streamSequence: (await log.tail(run)).streamSequence });
    for (const command of then) await handler.handle(command(run));
    return run;
  };
  const request = (...then: ((run: RunRef) => RunCommand)[]) => requestAs({}, ...then);
  const find = async (from = 1, to = requests.listed.at(-1)!.streamSequence) =>
    findWaiting({ log, requests }, tenantId, { from, to });
  return { requests, request, requestAs, find };
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
    const to = requests.listed[54]!.streamSequence;
    const first = await find(1, to);
    expect(first.runs).toHaveLength(48);
    expect(first.through).toBe(requests.listed[47]!.streamSequence);
    const second = await find(first.through + 1, to);
    expect(second.runs.map(({ streamSequence }) => streamSequence)).toEqual(
      requests.listed.slice(48, 55).map(({ streamSequence }) => streamSequence),
    );
    expect(second.through).toBe(to);
  });

  it('are asked for at least up to the place where one is known to lie', async () => {
    const { request, find, requests } = aWorld();
    for (let at = 0; at < 3; at += 1) await request();
    await find(1, 7);
    expect(requests.atLeast).toEqual([7]);
  });

  it('are found although the history of one of them cannot be read', async () => {
    const { request, find, requests } = aWorld();
    const [one, other] = [await request(), await request()];
    const unknown = { runId: RunId.parse('9'.padStart(26, '0')), streamSequence: 2 };
    requests.listed.splice(1, 0, unknown);
    const { runs, unreadable } = await find();
    expect(runs).toMatchObject([one, other]);
    expect(unreadable).toMatchObject([{ run: { tenantId, runId: unknown.runId }, error: { code: 'EVENT_INVALID' } }]);
  });
});
