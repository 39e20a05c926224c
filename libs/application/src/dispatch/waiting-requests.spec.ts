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

  async page(_tenantId: TenantId, from: number, limit: number): Promise<readonly RequestedRun[]> {
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

  it('are not forgotten when the replica that answers does not have them yet', async () => {
    const { request, find, requests } = aWorld();
    for (let at = 0; at < 3; at += 1) await request();
    const unavailable = { code: 'RUN_LOG_UNAVAILABLE' };
    const [, , last] = requests.listed;
    requests.listed.pop();
    await expect(find(1, last!.streamSequence)).rejects.toMatchObject(unavailable);
    requests.listed.push({ runId: RunId.parse('9'.padStart(26, '0')), streamSequence: last!.streamSequence });
    await expect(find()).rejects.toMatchObject(unavailable);
  });
});
