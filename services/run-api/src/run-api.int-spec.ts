import 'reflect-metadata';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { aRequestId, Problem, RunDetail, StreamTicketAnswer } from '@millrace/contracts';
import { StreamTickets } from '@millrace/nest-kit/http';
import { finishNode, finishRun, logWritten, messageAdded, say } from '@millrace/testing';
import { TICKET_SECRET } from '@millrace/testing/services';
import { decodeJwt } from 'jose';
import { ApiWorld } from './api-world.for-spec.js';

let world: ApiWorld;
beforeAll(async () => {
  world = await ApiWorld.start();
});
afterAll(() => world.stop());

const post = (url: string, body?: unknown, headers?: Record<string, string>) => world.post(url, body, headers);
const get = (url: string) => world.get(url);

describe('Native runs', () => {
  it('are created with the default agent, and readable at once', async () => {
    const { status, body } = await post('/agents/runs', { appId: 'demo', policy: 'default', input: { text: 'hello' } });
    expect([status, Object.keys(body)]).toEqual([201, ['runId']]);
    const read = await get(`/agents/runs/${String(body['runId'])}`);
    expect(read.status).toBe(200);
    expect(RunDetail.parse(read.body)).toMatchObject({
      ...{ id: body['runId'], status: 'PENDING', agent: 'echo', appId: 'demo', userId: 'ada', progress: 0 },
      ...{ startedAt: null, finishedAt: null, stepsCompleted: 0, policyVersion: 1, openInputs: [] },
    });
  });

  it('need no input, in any dialect', async () => {
    const native = await post('/agents/runs', { appId: 'demo', policy: 'default' });
    const agent = await post('/api/agent/run', { agent: 'echo' });
    expect([native.status, agent.status]).toEqual([201, 201]);
  });

  it('keep everything that was asked for', async () => {
    const { body: thread } = await post('/api/threads', {});
    const asked = {
      agent: 'treadmill',
      appId: 'demo',
      policy: 'careful',
      projectId: 'p1',
      threadId: thread['threadId'],
      seedState: { n: 1 },
    };
    const ref = await world.create({ ...asked, input: [null, 1, 'é\u0000'] });
    expect((await world.log.read(ref)).events).toMatchObject([
      { ...asked, input: [null, 1, 'é\u0000'], userId: 'ada' },
    ]);
    const { seedState, ...shown } = asked;
    expect((await get(`/agents/runs/${ref.runId}`)).body).toMatchObject(shown);
  });

  it('are of the project of the thread they are in, whether they say so or not', async () => {
    const { body: thread } = await post('/api/threads', { projectId: 'atlas' });
    const order = { appId: 'demo', policy: 'default', threadId: thread['threadId'] };
    for (const said of [order, { ...order, projectId: 'atlas' }]) {
      const { runId } = await world.create(said);
      expect((await get(`/agents/runs/${runId}`)).body).toMatchObject({ threadId: order.threadId, projectId: 'atlas' });
    }
    const other = await post('/agents/runs', { ...order, projectId: 'borealis' });
    expect([other.status, other.body['errors']]).toMatchObject([400, [{ field: 'projectId' }]]);
  });

  it('are made in no thread that is not there, nor in another tenant’s', async () => {
    const token = await world.token({ tenant_id: world.bob });
    const { body: foreign } = await world.ask('POST', '/api/threads', { body: { projectId: 'atlas' }, token });
    const before = await world.stored();
    const order = { appId: 'demo', policy: 'default', projectId: 'borealis' };
    for (const threadId of [world.ids.next(), foreign['threadId']]) {
      const { status, body } = await post('/agents/runs', { ...order, threadId });
      expect([status, body['code']]).toEqual([404, 'THREAD_NOT_FOUND']);
    }
    expect(await world.stored()).toBe(before);
  });

  it('in a thread are made once for one key', async () => {
    const { body: thread } = await post('/api/threads', { projectId: 'atlas' });
    const order = { appId: 'demo', policy: 'default', threadId: thread['threadId'] };
    const key = { 'idempotency-key': 'in-a-thread' };
    const twins = await Promise.all(Array.from({ length: 5 }, () => post('/agents/runs', order, key)));
    expect(new Set(twins.map(({ status, body }) => `${status} ${String(body['runId'])}`)).size).toBe(1);
    expect(twins[0]?.status).toBe(201);
    const other = await post('/agents/runs', { ...order, input: 1 }, key);
    expect([other.status, other.body['code']]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
  });

  it('take an input too large for one event', async () => {
    const text = 'x'.repeat(200_000);
    const ref = await world.create({ appId: 'demo', policy: 'default', input: { text } });
    expect((await world.log.read(ref)).events).toMatchObject([{ kind: 'RunRequested', input: { text } }]);
  });

  it('show what happened in them', async () => {
    const ref = await world.running();
    const url = `/agents/runs/${ref.runId}`;
    for (const fact of [messageAdded(), logWritten()]) await world.others.handle({ ...say(fact), ...ref });
    expect((await get(`${url}/steps`)).body).toMatchObject({ steps: [{ node: 'plan', state: 'RUNNING' }] });
    await world.others.handle(finishNode(ref));
    await world.others.handle(finishRun(ref));
    expect((await get(url)).body).toMatchObject({
      ...{ status: 'SUCCEEDED', progress: 1, stepsCompleted: 1, output: { text: 'hello' } },
      ...{ startedAt: expect.any(String), finishedAt: expect.any(String) },
    });
    expect((await get(`${url}/steps`)).body).toMatchObject({
      steps: [{ state: 'SUCCESS', attempt: 1, output: { plan: ['greet'] } }],
    });
    expect((await get(`${url}/messages`)).body).toMatchObject({
      messages: [
        { type: 'request', content: { text: 'hello' }, from: 'ada' },
        { type: 'message', role: 'agent', content: 'hello' },
      ],
    });
    expect((await get(`${url}/trail`)).body).toMatchObject({
      trail: [
        { kind: 'RunStarted', text: 'Started echo 1' },
        { kind: 'MessageAdded', text: 'plan: hello' },
        { kind: 'NodeFinished' },
        { kind: 'RunFinished', text: 'Finished: Said hello.' },
      ],
    });
    expect((await get(`${url}/logs`)).body).toMatchObject({ logs: [{ level: 'info', message: 'planned' }] });
    expect((await get(`/api/runs/${ref.runId}`)).body).toMatchObject({ id: ref.runId, status: 'done' });
  });

  it('give their public events page by page, and no internal one', async () => {
    const ref = await world.running();
    await world.others.handle(finishNode(ref));
    await world.others.handle(finishRun(ref));
    const all = ['RunStarted', 'NodeStarted', 'NodeFinished', 'RunFinished'];
    const page = async (query: string) => {
      const { body } = await get(`/agents/runs/${ref.runId}/events${query}`);
      const events = body['events'] as { kind: string; sequence: number }[];
      return [events.map(({ kind }) => kind), body['hasMore']];
    };
    expect(await page('')).toEqual([all, false]);
    expect(await page('?limit=3')).toEqual([all.slice(0, 3), true]);
    expect(await page('?fromSeq=1&limit=2')).toEqual([all.slice(1, 3), true]);
    expect(await page('?fromSeq=2&limit=2')).toEqual([all.slice(2), false]);
    expect(await page('?fromSeq=99')).toEqual([[], false]);
  });

  it('are paused, resumed and canceled, and answer a repeat with how they stand', async () => {
    const { runId, ...ref } = await world.running();
    for (const [order, status] of [
      ['pause', 'PAUSED'],
      ['pause', 'PAUSED'],
      ['resume', 'RUNNING'],
      ['resume', 'RUNNING'],
      ['cancel', 'CANCELED_REQUESTED'],
      ['cancel', 'CANCELED_REQUESTED'],
    ] as const) {
      const answer = await post(`/agents/runs/${runId}/${order}`, { reason: 'because' });
      expect([answer.status, answer.body]).toEqual([200, { status }]);
    }
    const kinds = await world.kinds({ ...ref, runId });
    expect(kinds.slice(-3)).toEqual(['RunPaused', 'RunResumed', 'RunCancelRequested']);
    const late = await post(`/agents/runs/${runId}/pause`);
    expect([late.status, late.body['code']]).toEqual([409, 'RUN_CANCEL_REQUESTED']);
  });

  it('are done when a person says so, and one that has ended answers a cancel with its state', async () => {
    const { runId } = await world.running();
    expect((await post(`/agents/runs/${runId}/done`, { note: 'good' })).body).toEqual({ status: 'RUNNING' });
    const ended = await world.failed();
    expect((await post(`/agents/runs/${ended.runId}/cancel`)).body).toEqual({ status: 'FAILED' });
    const pause = await post(`/agents/runs/${ended.runId}/pause`);
    expect([pause.status, pause.body['code']]).toEqual([409, 'RUN_ENDED']);
  });

  it('are retried as a new run, once for one key', async () => {
    const ref = await world.failed();
    const url = `/agents/runs/${ref.runId}/retry`;
    const key = { 'idempotency-key': 'retry-1' };
    const first = await post(url, { note: 'again' }, key);
    const again = await post(url, { note: 'again' }, key);
    expect([first.status, again.status, again.body]).toEqual([201, 201, first.body]);
    expect((await get(`/agents/runs/${String(first.body['runId'])}`)).body).toMatchObject({ retryOf: ref.runId });
    expect((await world.kinds(ref)).filter((kind) => kind === 'RetryRequested')).toHaveLength(1);
    const other = await post(url, { note: 'another' }, key);
    expect([other.status, other.body['code']]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    const early = await post(`/agents/runs/${(await world.running()).runId}/retry`);
    expect([early.status, early.body['code']]).toEqual([409, 'RUN_NOT_ENDED']);
  });
});

describe('A body', () => {
  const json = { 'content-type': 'application/json' };

  it.each<[string, Record<string, string>]>([
    ['none', {}],
    ['JSON', json],
    ['plain text', { 'content-type': 'text/plain;charset=UTF-8' }],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['bytes', { 'content-type': 'application/octet-stream', 'content-length': '0' }],
  ])('may be left out of an order, whatever its type is said to be: %s', async (_, headers) => {
    const { runId } = await world.running();
    expect((await world.ask('POST', `/agents/runs/${runId}/pause`, { headers })).body).toEqual({ status: 'PAUSED' });
    expect((await world.ask('POST', `/agents/runs/${runId}/stream-ticket`, { headers })).status).toBe(201);
    expect((await world.ask('POST', '/api/threads', { headers })).status).toBe(201);
  });

  it('is missed where it is needed', async () => {
    const { status, body } = await world.ask('POST', '/agents/runs', { headers: json });
    expect([status, body['errors']]).toMatchObject([400, [{ field: 'body' }]]);
  });
});

describe('A stream ticket', () => {
  it('is for one run, and lets what it opens live as long as the token', async () => {
    const { runId } = await world.create();
    const tickets = new StreamTickets({ secret: TICKET_SECRET, ttlSeconds: 1 });
    const token = await world.token({ scope: 'runs:read' });
    const { status, body } = await world.ask('POST', `/agents/runs/${runId}/stream-ticket`, { token });
    expect(status).toBe(201);
    const { ticket, expiresAt } = StreamTicketAnswer.parse(body);
    const read = await tickets.verify(ticket);
    expect(read).toMatchObject({ tenantId: world.ada, userId: 'ada', runId });
    expect(read.expiresAt.toISOString()).toBe(expiresAt);
    expect(read.sessionExpiresAt.getTime() / 1_000).toBe(decodeJwt(token).exp);
  });

  it('is no token, nor a token a ticket', async () => {
    const { runId } = await world.create();
    const { body } = await post(`/agents/runs/${runId}/stream-ticket`);
    const asToken = await world.ask('GET', `/agents/runs/${runId}`, { token: String(body['ticket']) });
    expect([asToken.status, asToken.body['code']]).toEqual([401, 'UNAUTHENTICATED']);
  });
});

describe('The agent dialect', () => {
  it('runs, answers and aborts', async () => {
    const { status, body } = await post('/api/agent/run', { agent: 'echo', input: { text: 'hi' } });
    expect(status).toBe(201);
    expect((await get(`/agents/runs/${String(body['runId'])}`)).body).toMatchObject({
      agent: 'echo',
      appId: 'default',
    });
    const { runId } = await world.asking();
    const answer = { requestId: aRequestId, response: { text: 'Ada' } };
    expect((await post(`/api/agent/${runId}/input`, answer)).body).toEqual({ status: 'RUNNING' });
    expect((await post(`/api/agent/${runId}/input`, answer)).status).toBe(409);
    expect((await post(`/api/agent/${runId}/abort`)).body).toEqual({ status: 'CANCELED_REQUESTED' });
  });
});

describe('The thread dialect', () => {
  it('holds a conversation in which each message is a run', async () => {
    const made = await post('/api/threads', { agent: 'treadmill', title: 'Greetings', projectId: 'atlas' });
    expect(made.status).toBe(201);
    const threadId = String(made.body['threadId']);
    expect((await get(`/api/threads/${threadId}`)).body).toMatchObject({
      ...{ id: threadId, title: 'Greetings', projectId: 'atlas' },
    });
    const said = await post(`/api/threads/${threadId}/messages`, { content: 'hello', files: [{ name: 'a.txt' }] });
    expect(said.status).toBe(201);
    const runId = String(said.body['runId']);
    expect((await get(`/agents/runs/${runId}`)).body).toMatchObject({
      ...{ threadId, agent: 'treadmill', projectId: 'atlas' },
    });
    expect((await get(`/api/runs/${runId}`)).body).toMatchObject({ id: runId, status: 'queued', startedAt: null });
    expect((await post(`/api/runs/${runId}/cancel`)).body).toEqual({ status: 'running' });
  });

  it('makes one thread for one key, and no message where there is no thread', async () => {
    const key = { 'idempotency-key': 'thread-1' };
    const twins = await Promise.all(Array.from({ length: 10 }, () => post('/api/threads', { title: 'one' }, key)));
    expect(new Set(twins.map(({ status, body }) => `${status} ${String(body['threadId'])}`)).size).toBe(1);
    for (const another of [{ title: 'two' }, { title: 'one', projectId: 'atlas' }, { title: 'one', agent: 'echo' }]) {
      const other = await post('/api/threads', another, key);
      expect([other.status, other.body['code']]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    }
    const lost = await post(`/api/threads/${world.ids.next()}/messages`, { content: 'hello' });
    expect([lost.status, lost.body['code']]).toEqual([404, 'THREAD_NOT_FOUND']);
  });
});

describe('A log that does not answer', () => {
  it('is told as 503, with when to try again, and the service recovers', async () => {
    const ref = await world.create();
    await world.server.pause();
    const answer = get(`/agents/runs/${ref.runId}`);
    const { status, headers, body } = await answer.finally(() => world.server.resume());
    expect([status, headers['retry-after']]).toEqual([503, '1']);
    expect(Problem.parse(body)).toMatchObject({ code: 'RUN_LOG_UNAVAILABLE' });
    expect((await get(`/agents/runs/${ref.runId}`)).status).toBe(200);
  });
});
