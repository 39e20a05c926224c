import 'reflect-metadata';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openDatabase, READER_ROLE } from '@millrace/adapter-postgres';
import { Problem, RunDetail, type RunRef, RunsPage, TrailAnswer } from '@millrace/contracts';
import { failRun, finishNode, finishRun, logWritten, say, scheduleNodes, startNode, startRun } from '@millrace/testing';
import { ApiWorld } from './api-world.for-spec.js';

let world: ApiWorld;
beforeAll(async () => {
  world = await ApiWorld.start();
});
afterAll(() => world.stop());

const list = async (query = '', tenant = world.ada): Promise<RunsPage> => {
  const token = await world.token({ tenant_id: tenant });
  const { status, body } = await world.ask('GET', `/agents/runs${query}`, { token });
  expect([status, body]).toEqual([200, expect.any(Object)]);
  return RunsPage.parse(body);
};
const idsIn = ({ runs }: RunsPage): string[] => runs.map(({ id }) => id);
const refused = async (query: string, token?: string): Promise<Problem> => {
  const { status, body } = await world.ask('GET', `/agents/runs${query}`, token === undefined ? {} : { token });
  expect(status).toBe(400);
  return Problem.parse(body);
};
const order = { appId: 'demo', policy: 'default' };

describe('The list of runs', () => {
  let failed: RunRef;
  let inProject: RunRef;
  let ofThread: RunRef;
  let threadId: string;
  beforeAll(async () => {
    failed = await world.create({ ...order, agent: 'treadmill', input: { text: 'turn' } });
    inProject = await world.create({ ...order, projectId: 'p1' });
    const thread = await world.ask('POST', '/api/threads', { body: {} });
    threadId = String(thread.body['threadId']);
    ofThread = await world.create({ ...order, threadId });
    for (const command of [startRun(failed), scheduleNodes(failed), startNode(failed), failRun(failed)]) {
      await world.others.handle(command);
    }
    await world.project(failed, inProject, ofThread);
  });

  it('has the newest first, with what one needs to choose', async () => {
    const { runs, nextCursor } = await list();
    expect(runs.map(({ id }) => id)).toEqual([ofThread.runId, inProject.runId, failed.runId]);
    expect(runs[2]).toMatchObject({
      ...{ status: 'FAILED', agent: 'treadmill', userId: 'ada', inputSummary: 'turn' },
      error: { code: 'MAX_RETRIES_EXCEEDED' },
    });
    expect(nextCursor).toBeUndefined();
  });

  it.each<[string, () => string, () => RunRef[]]>([
    ['its status', () => '?status=FAILED', () => [failed]],
    ['its agent', () => '?agent=treadmill', () => [failed]],
    ['its project', () => '?projectId=p1', () => [inProject]],
    ['its thread', () => `?threadId=${threadId}`, () => [ofThread]],
    ['its user', () => '?userId=ada', () => [ofThread, inProject, failed]],
    ['a user nobody is', () => '?userId=nobody', () => []],
    ['when it was made', () => '?createdFrom=2020-01-01T00:00:00Z', () => [ofThread, inProject, failed]],
    ['when it was not made', () => '?createdBefore=2020-01-01T00:00:00%2B02:00', () => []],
    ['several at once', () => '?status=PENDING&projectId=p1', () => [inProject]],
  ])('is filtered by %s', async (_, query, expected) => {
    expect(idsIn(await list(query()))).toEqual(expected().map(({ runId }) => runId));
  });

  it('is read page by page', async () => {
    const first = await list('?limit=2');
    expect(idsIn(first)).toEqual([ofThread.runId, inProject.runId]);
    const second = await list(`?limit=2&cursor=${first.nextCursor}`);
    expect([idsIn(second), second.nextCursor]).toEqual([[failed.runId], undefined]);
  });

  it('shows a tenant its own runs, and takes no cursor from another', async () => {
    expect(idsIn(await list('', world.bob))).toEqual([]);
    const { nextCursor } = await list('?limit=1');
    const token = await world.token({ tenant_id: world.bob });
    expect((await refused(`?cursor=${nextCursor}`, token)).errors).toMatchObject([{ field: 'cursor' }]);
  });

  it.each([
    ['status', '?status=running'],
    ['status', '?status=RUNNING&status=FAILED'],
    ['agent', '?agent='],
    ['agent', '?agent=a%00b'],
    ['agent', `?agent=${'x'.repeat(201)}`],
    ['threadId', '?threadId=*'],
    ['userId', '?userId=%00'],
    ['projectId', `?projectId=${'x'.repeat(201)}`],
    ['createdFrom', '?createdFrom=yesterday'],
    ['createdFrom', '?createdFrom=0000-01-01T00:00:00Z'],
    ['createdBefore', '?createdBefore=2026-02-30T00:00:00Z'],
    ['createdBefore', '?createdBefore=9999-12-31T23:59:59-14:00'],
    ['createdFrom', '?createdFrom=9999-12-31T23:59:59-00:01'],
    ['limit', '?limit=0'],
    ['limit', '?limit=201'],
    ['limit', '?limit=many'],
    ['cursor', '?cursor=nonsense'],
    ['cursor', '?cursor=%F0%9F%92%A7'],
    ['cursor', `?cursor=${'A'.repeat(501)}`],
    ['stauts', '?stauts=RUNNING'],
    ['__proto__', '?__proto__=1'],
  ])('names %s as what is wrong in %s', async (field, query) => {
    expect((await refused(query)).errors).toMatchObject([{ field }]);
  });
});

describe('A bound of time', () => {
  it('may be the last moment that has four digits for its year', async () => {
    expect((await world.ask('GET', '/agents/runs?createdBefore=9999-12-31T23:59:59.999Z')).status).toBe(200);
  });
});

describe('A long run', () => {
  let ref: RunRef;
  beforeAll(async () => {
    ref = await world.create();
    for (const command of [startRun(ref), scheduleNodes(ref), startNode(ref)]) await world.others.handle(command);
    for (let line = 0; line < 120; line += 1) {
      await world.others.handle({ ...say(logWritten({ message: `line ${line}` })), ...ref });
    }
  });
  const read = async (what = '') => (await world.ask('GET', `/agents/runs/${ref.runId}${what}`)).body;
  const all = () => Promise.all(['', '/steps', '/messages', '/logs', '/trail'].map(read));

  it('is told the same from the log and from its rows', async () => {
    const fromLog = await all();
    expect(fromLog[3]).toMatchObject({ logs: { length: 120 } });
    await world.project(ref);
    expect(await all()).toEqual(fromLog);
  });

  it('is never told as it was before its last event', async () => {
    await world.project(ref);
    for (const command of [finishNode(ref), finishRun(ref)]) await world.others.handle(command);
    expect(RunDetail.parse(await read())).toMatchObject({ status: 'SUCCEEDED', progress: 1 });
    expect(TrailAnswer.parse(await read('/trail')).trail.at(-1)).toMatchObject({ kind: 'RunFinished' });
  });
});

describe('Read models that are away', () => {
  const readiness = async () => (await world.ask('GET', '/health/ready', { token: undefined })).body['readModels'];
  const until = async (isSo: (state: unknown) => boolean): Promise<void> => {
    for (let state = await readiness(); !isSo(state); state = await readiness()) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };

  it('are missed by lists alone, and the readiness says so', async () => {
    const ref = await world.create();
    await world.postgres.kill('SIGKILL');
    const { status, headers, body } = await world.ask('GET', '/agents/runs');
    expect([status, headers['retry-after'], body['code']]).toEqual([503, '1', 'DATABASE_UNAVAILABLE']);
    expect((await world.ask('GET', `/agents/runs/${ref.runId}`)).status).toBe(200);
    expect((await world.create()).runId).toEqual(expect.any(String));
    await until((state) => String(state).startsWith('away, no lists: PostgreSQL database api on'));
    await world.postgres.restart();
    await until((state) => state === 'available');
    await world.project(ref);
    expect(idsIn(await list())).toContain(ref.runId);
  });

  it('are told as 503 as well when they let nobody in', async () => {
    const owner = await openDatabase({ url: world.postgres.url, applicationName: 'spec' });
    try {
      await owner.query(`alter role ${READER_ROLE} nologin`);
      await owner.query(`select pg_terminate_backend(pid) from pg_stat_activity where usename = '${READER_ROLE}'`);
      await until((state) => String(state).includes('is not permitted to log in'));
      const { status, headers, body } = await world.ask('GET', '/agents/runs');
      expect([status, headers['retry-after'], body['code']]).toEqual([503, '5', 'DATABASE_REFUSED']);
      expect(JSON.stringify(body)).not.toMatch(/log in|millrace_reader|PostgreSQL/);
      await owner.query(`alter role ${READER_ROLE} login`);
      await until((state) => state === 'available');
      expect((await world.ask('GET', '/agents/runs')).status).toBe(200);
    } finally {
      await owner.close();
    }
  });
});
