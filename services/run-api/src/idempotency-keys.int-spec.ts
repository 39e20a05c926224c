import 'reflect-metadata';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApiWorld } from './api-world.for-spec.js';

let world: ApiWorld;
beforeAll(async () => {
  world = await ApiWorld.start();
});
afterAll(() => world.stop());

const post = (url: string, body?: unknown, headers?: Record<string, string>) => world.post(url, body, headers);

describe('An Idempotency-Key', () => {
  const body = { appId: 'demo', policy: 'default', input: { text: 'once' } };

  it('makes one run however often it is sent, and 422 of another request', async () => {
    const key = { 'idempotency-key': 'k-1' };
    const first = await post('/agents/runs', body, key);
    const again = await post('/agents/runs', { input: { text: 'once' }, policy: 'default', appId: 'demo' }, key);
    expect([again.status, again.body]).toEqual([201, first.body]);
    const other = await post('/agents/runs', { ...body, input: { text: 'twice' } }, key);
    expect([other.status, other.body['code']]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
  });

  it('makes one run in every dialect whatever the defaults have become', async () => {
    const { body: thread } = await post('/api/threads', {});
    const requests = [
      ['/agents/runs', body],
      ['/api/agent/run', { agent: 'echo', input: { text: 'once' } }],
      [`/api/threads/${String(thread['threadId'])}/messages`, { content: 'once' }],
    ] as const;
    const changed = { DEFAULT_AGENT: 'critic', DEFAULT_APP: 'atlas', DEFAULT_POLICY: 'careful' };
    for (const [url, sent] of requests) {
      const ask = { body: sent, headers: { 'idempotency-key': `defaults of ${url}`.replaceAll(' ', '-') } };
      const first = await world.ask('POST', url, ask);
      const again = await world.askBeside(changed, 'POST', url, ask);
      expect([first.status, again.status, again.body]).toEqual([201, 201, first.body]);
    }
  });

  it('belongs to its tenant', async () => {
    const headers = { 'idempotency-key': 'shared' };
    const token = await world.token({ tenant_id: world.bob });
    const ours = await world.ask('POST', '/agents/runs', { body, headers });
    const theirs = await world.ask('POST', '/agents/runs', { body: { ...body, input: 1 }, headers, token });
    expect([ours.status, theirs.status]).toEqual([201, 201]);
    expect(ours.body).not.toEqual(theirs.body);
  });

  it('is refused when it is empty, too long or not printable', async () => {
    for (const key of ['', ' ', 'a b', 'é', 'x'.repeat(256)]) {
      const { status, body: problem } = await post('/agents/runs', body, { 'idempotency-key': key });
      expect([status, problem['errors']]).toMatchObject([400, [{ field: 'Idempotency-Key' }]]);
    }
  });

  it('sent ten times in parallel makes as many runs as there are keys', async () => {
    const before = await world.stored();
    const keys = Array.from({ length: 200 }, (_, at) => `parallel-${at}`);
    const asked = keys.flatMap((key) =>
      Array.from({ length: 10 }, () => post('/agents/runs', body, { 'idempotency-key': key })),
    );
    const answers = await Promise.all(asked);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(answers.map(({ body: made }) => made['runId'])).size).toBe(200);
    expect((await world.stored()) - before).toBe(200);
  });
});
