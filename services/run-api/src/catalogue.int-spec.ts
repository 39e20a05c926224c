import 'reflect-metadata';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AgentDetail, AgentsPage, Problem, WorkerId } from '@millrace/contracts';
import { announcementOf } from '@millrace/testing';
import { ApiWorld } from './api-world.for-spec.js';

const inputSchema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
const order = { appId: 'demo', policy: 'default' };

let world: ApiWorld;
beforeAll(async () => {
  world = await ApiWorld.start();
  await world.catalogue.announce(announcementOf('scribe', { description: 'Writes.', inputSchema }));
});
afterAll(() => world.stop());

/** Announced, and known to the service. */
const served = async (agent: string, version: string): Promise<void> => {
  const workerId = WorkerId.parse(world.ids.next());
  const presence = { format: '1' as const, workerId, serves: [{ agent, version, isCurrent: true }] };
  await world.catalogue.present(presence);
  const isServed = async () => (await world.get(`/agents/catalogue/${agent}/versions/${version}`)).body['served'];
  while (!(await isServed())) continue;
};

describe('The catalogue of agents', () => {
  it('lists those that were announced, page by page', async () => {
    const { status, body } = await world.get('/agents/catalogue?limit=3');
    expect(status).toBe(200);
    const first = AgentsPage.parse(body);
    expect(first.agents.map(({ id }) => id)).toEqual(['critic', 'echo', 'improver']);
    const rest = AgentsPage.parse((await world.get(`/agents/catalogue?cursor=${first.nextCursor}`)).body);
    expect(rest).toMatchObject({
      agents: [{ id: 'scribe', description: 'Writes.', served: false }, { id: 'treadmill' }],
    });
    expect(rest.nextCursor).toBeUndefined();
  });

  it('shows an agent and each of its versions, and which a worker has', async () => {
    await world.catalogue.announce(announcementOf('versed', { description: 'old' }));
    await world.catalogue.announce(announcementOf('versed', { version: '2.0', description: 'new' }));
    const latest = await world.get('/agents/catalogue/versed');
    expect(AgentDetail.parse(latest.body)).toMatchObject({ version: '2.0', description: 'new', served: false });
    await served('versed', '1');
    const { body } = await world.get('/agents/catalogue/versed');
    expect(AgentDetail.parse(body)).toMatchObject({
      ...{ version: '1', served: true, description: 'old' },
      versions: [
        { version: '2.0', served: false },
        { version: '1', served: true },
      ],
    });
    expect((await world.get('/agents/catalogue/versed/versions/2.0')).body).toMatchObject({ description: 'new' });
  });

  it('is the same for every tenant, and for nobody without a token', async () => {
    const token = await world.token({ tenant_id: world.bob, scope: 'runs:read' });
    const { status } = await world.ask('GET', '/agents/catalogue/scribe', { token });
    expect(status).toBe(200);
    expect((await world.ask('GET', '/agents/catalogue', { token: undefined })).status).toBe(401);
  });

  it.each([
    ['/agents/catalogue/nobody', /^There is no agent nobody: there are critic, echo, .*scribe/],
    ['/agents/catalogue/scribe/versions/9', /^Agent scribe has no version 9: there is 1$/],
  ])('names what there is in place of %s', async (path, detail) => {
    const { status, headers, body } = await world.get(path);
    expect([status, headers['content-type']]).toEqual([404, 'application/problem+json; charset=utf-8']);
    expect(Problem.parse(body)).toMatchObject({ code: 'AGENT_NOT_FOUND', detail: expect.stringMatching(detail) });
  });

  it.each([
    '/agents/catalogue?limit=0',
    '/agents/catalogue?page=2',
    '/agents/catalogue/%00',
    '/agents/catalogue/a%0Ab',
  ])('refuses %s', async (path) => expect((await world.get(path)).status).toBe(400));
});

describe('What could never run', () => {
  it.each([
    ['/agents/runs', { ...order, agent: 'nobody' }],
    ['/api/agent/run', { agent: 'nobody' }],
    ['/api/threads', { agent: 'nobody' }],
  ])('is refused by %s as an agent nobody announced, and leaves nothing', async (path, body) => {
    const before = await world.stored();
    const answer = await world.post(path, body, { 'idempotency-key': `nobody at ${path}`.replaceAll(' ', '-') });
    expect(answer.status).toBe(404);
    expect(answer.body).toMatchObject({ code: 'AGENT_NOT_FOUND', detail: expect.stringContaining('scribe') });
    expect(await world.stored()).toBe(before);
  });

  it.each([
    [
      '/agents/runs',
      { ...order, agent: 'scribe', input: { text: 7 } },
      'Invalid input: expected string, received number',
    ],
    ['/api/agent/run', { agent: 'scribe', input: {} }, 'is missing: it must be a string'],
  ])('is refused by %s as an input its agent does not take, and leaves nothing', async (path, body, message) => {
    const before = await world.stored();
    const answer = await world.post(path, body);
    expect(answer.status).toBe(422);
    expect(Problem.parse(answer.body)).toMatchObject({
      ...{ code: 'INPUT_INVALID', title: 'The agent does not take this input.' },
      errors: [{ field: 'input.text', message }],
    });
    expect(await world.stored()).toBe(before);
  });

  it('is refused in a thread as well', async () => {
    const strict = { type: 'object', properties: { steps: { type: 'integer' } }, required: ['steps'] };
    await world.catalogue.announce(announcementOf('no-talker', { inputSchema: strict }));
    const { body: thread } = await world.post('/api/threads', { agent: 'no-talker' });
    const said = await world.post(`/api/threads/${String(thread['threadId'])}/messages`, { content: 'hello' });
    expect([said.status, said.body['code']]).toEqual([422, 'INPUT_INVALID']);
  });

  it('is refused as a retry when nobody has the agent that improves', async () => {
    const failed = await world.failed();
    const path = `/agents/runs/${failed.runId}/retry`;
    const beside = await world.askBeside({ IMPROVER_AGENT: 'nobody' }, 'POST', path, { body: {} });
    expect([beside.status, beside.body['code']]).toEqual([404, 'AGENT_NOT_FOUND']);
    expect((await world.post(path, {})).status).toBe(201);
  });
});

describe('An agent that was just announced', () => {
  it('can be asked for at once, although no worker serves it', async () => {
    for (let at = 0; at < 20; at += 1) {
      await world.catalogue.announce(announcementOf(`just-now-${at}`));
      const { status } = await world.post('/agents/runs', { ...order, agent: `just-now-${at}` });
      expect(status).toBe(201);
    }
  });
});
