import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RunsPage } from '@millrace/contracts';
import { HttpStack } from './http-stack.for-spec.js';

let stack: HttpStack;
let auth: { authorization: string };
beforeAll(async () => {
  stack = await HttpStack.start('projector', 'orchestrator', 'node-workers', 'stream-gateway', 'run-api');
  auth = { authorization: `Bearer ${await stack.token()}` };
});
afterAll(() => stack.stop());

const order = { appId: 'demo', policy: 'default' };
const isAsking = (body: Record<string, unknown>): boolean => (body['openInputs'] as unknown[]).length > 0;
const requestIn = (body: Record<string, unknown>): string =>
  (body['openInputs'] as { requestId: string }[])[0]!.requestId;

describe('A client of the native dialect', () => {
  it('asks for a run, follows it, and finds everything about it afterwards', async () => {
    const made = await stack.post('/agents/runs', {
      ...order,
      agent: 'echo',
      input: { text: 'hello brave new world' },
    });
    expect(made.status).toBe(201);
    const url = `/agents/runs/${String(made.body['runId'])}`;
    const kinds = (await stack.frames(`${url}/stream`, auth)).map(({ data }) => (data as { kind: string }).kind);
    expect([kinds[0], kinds.at(-1)]).toEqual(['RunStarted', 'RunFinished']);
    expect((await stack.get(url)).body).toMatchObject({
      status: 'SUCCEEDED',
      output: { text: 'hello brave new world' },
    });
    const { events, hasMore } = (await stack.get(`${url}/events?limit=1000`)).body as {
      events: { kind: string }[];
      hasMore: boolean;
    };
    expect([events.map(({ kind }) => kind), hasMore]).toEqual([kinds, false]);
    expect((await stack.get(`${url}/steps`)).body).toMatchObject({ steps: [{ state: 'SUCCESS' }] });
    expect((await stack.get(`${url}/messages`)).body).toMatchObject({
      messages: expect.arrayContaining([expect.objectContaining({ type: 'request' })]) as unknown,
    });
    expect((await stack.get(`${url}/trail`)).body).toMatchObject({
      trail: expect.arrayContaining([expect.objectContaining({ kind: 'RunFinished' })]) as unknown,
    });
    expect((await stack.get(`${url}/logs`)).status).toBe(200);
    const id = made.body['runId'];
    const isListed = (page: Record<string, unknown>): boolean => RunsPage.parse(page).runs.some((run) => run.id === id);
    await stack.until('/agents/runs?status=SUCCEEDED&agent=echo', isListed);
  });

  it('follows from a browser, with a ticket that is good once', async () => {
    const made = await stack.post('/agents/runs', { ...order, input: { text: 'hi' } });
    const url = `/agents/runs/${String(made.body['runId'])}`;
    const { status, body } = await stack.post(`${url}/stream-ticket`);
    expect(status).toBe(201);
    const stream = `${url}/stream?ticket=${String(body['ticket'])}`;
    expect((await stack.frames(stream)).at(-1)?.data).toMatchObject({ kind: 'RunFinished' });
    const again = await fetch(`${stack.urlOf('stream-gateway')}${stream}`);
    expect(again.status).toBe(401);
    await again.body?.cancel();
  });

  it('answers what a run asks, once', async () => {
    const input = { steps: 2, askAtStep: 1 };
    const made = await stack.post('/agents/runs', { ...order, agent: 'treadmill', input });
    const url = `/agents/runs/${String(made.body['runId'])}`;
    const inputs = `${url}/inputs/${requestIn(await stack.until(url, isAsking))}`;
    const wrong = await stack.post(inputs, { response: { text: 7 } });
    expect([wrong.status, wrong.body['errors']]).toMatchObject([400, [{ field: 'response.text' }]]);
    const unknown = await stack.post(`${url}/inputs/01JD0000000000000000000009`, { response: { text: 'x' } });
    expect([unknown.status, unknown.body['code']]).toEqual([404, 'INPUT_NOT_FOUND']);
    expect((await stack.post(inputs, { response: { text: 'go' } })).status).toBe(200);
    const late = await stack.post(inputs, { response: { text: 'go' } });
    expect([late.status, late.body['code']]).toEqual([409, 'INPUT_ALREADY_ANSWERED']);
    await stack.until(url, ({ status }) => status === 'SUCCEEDED');
    const canceled = await stack.post(`${url}/cancel`);
    expect([canceled.status, canceled.body]).toEqual([200, { status: 'SUCCEEDED' }]);
  });

  it('pauses, resumes and cancels, and is told how the run stands when it says so twice', async () => {
    const input = { steps: 100, tokensPerStep: 50, tokensPerSecond: 100 };
    const made = await stack.post('/agents/runs', { ...order, agent: 'treadmill', input });
    const url = `/agents/runs/${String(made.body['runId'])}`;
    await stack.until(url, ({ status }) => status === 'RUNNING');
    for (const [said, status] of [
      ['pause', 'PAUSED'],
      ['pause', 'PAUSED'],
      ['resume', 'RUNNING'],
      ['resume', 'RUNNING'],
    ]) {
      const answer = await stack.post(`${url}/${said}`, { reason: 'because' });
      expect([said, answer.status, answer.body]).toEqual([said, 200, { status }]);
    }
    expect((await stack.post(`${url}/cancel`)).body).toEqual({ status: 'CANCELED_REQUESTED' });
    await stack.until(url, ({ status }) => status === 'CANCELED');
    expect((await stack.post(`${url}/cancel`)).body).toEqual({ status: 'CANCELED' });
  });
});

describe('A client of the agent dialect', () => {
  it('runs an agent, is asked, answers, and hears the end', async () => {
    const made = await stack.post('/api/agent/run', { agent: 'consent', input: { text: 'an image of a mill' } });
    expect(made.status).toBe(201);
    const runId = String(made.body['runId']);
    const hearing = stack.frames(`/api/agent/${runId}/events`, auth);
    const requestId = requestIn(await stack.until(`/agents/runs/${runId}`, isAsking));
    const answer = await stack.post(`/api/agent/${runId}/input`, { requestId, response: { consent: true } });
    expect(answer.status).toBe(200);
    const types = (await hearing).map(({ data }) => (data as { type: string }).type);
    expect(types).toEqual(expect.arrayContaining(['start', 'queryConsent', 'functionCall', 'functionResult']));
    expect(types.slice(-2)).toEqual(['complete', 'finish']);
  });

  it('aborts one', async () => {
    const made = await stack.post('/api/agent/run', { agent: 'consent', input: { text: 'a video' } });
    const runId = String(made.body['runId']);
    await stack.until(`/agents/runs/${runId}`, isAsking);
    expect((await stack.post(`/api/agent/${runId}/abort`)).body).toEqual({ status: 'CANCELED_REQUESTED' });
    const types = (await stack.frames(`/api/agent/${runId}/events`, auth)).map(
      ({ data }) => (data as { type: string }).type,
    );
    expect(types.slice(-2)).toEqual(['error', 'finish']);
  });
});

describe('A client of the thread dialect', () => {
  it('holds a conversation', async () => {
    const thread = await stack.post('/api/threads', { agent: 'echo', title: 'Greetings' });
    const url = `/api/threads/${String(thread.body['threadId'])}`;
    expect((await stack.get(url)).body).toMatchObject({ title: 'Greetings', agent: 'echo' });
    const said = await stack.post(`${url}/messages`, { content: 'good morning' });
    expect(said.status).toBe(201);
    const runId = String(said.body['runId']);
    const frames = await stack.frames(`/api/runs/${runId}/events`, auth);
    const text = frames.flatMap(({ event, data }) => (event === 'token' ? [(data as { text: string }).text] : []));
    expect(text.join('')).toBe('good morning');
    expect(frames.slice(-2)).toMatchObject([
      { event: 'final', data: { text: 'good morning' } },
      { event: 'state', data: { status: 'done' } },
    ]);
    expect((await stack.get(`/api/runs/${runId}`)).body).toMatchObject({ id: runId, status: 'done' });
    expect((await stack.post(`/api/runs/${runId}/cancel`)).body).toEqual({ status: 'done' });
  });
});
