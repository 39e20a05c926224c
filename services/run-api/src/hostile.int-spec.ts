import 'reflect-metadata';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { OPERATIONS, type Operation, Problem, type RunRef, scopeOf } from '@millrace/contracts';
import { requestInput, scheduleNodes, startNode, startRun } from '@millrace/testing';
import { SECRET } from '@millrace/testing/services';
import { SignJWT, UnsecuredJWT } from 'jose';
import { type Answer, ApiWorld } from './api-world.for-spec.js';

let world: ApiWorld;
let ours: RunRef;
let thread: string;
let storedBefore: number;
beforeAll(async () => {
  world = await ApiWorld.start();
  ours = await world.create();
  for (const command of [startRun(ours), scheduleNodes(ours), startNode(ours), requestInput(ours)]) {
    await world.others.handle(command);
  }
  const { body } = await world.ask('POST', '/api/threads', { body: {} });
  thread = String(body['threadId']);
});
afterAll(() => world.stop());

// Whatever is tried below is refused, and refused means that the log never hears of it.
beforeEach(async () => {
  storedBefore = await world.stored();
});
afterEach(async () => {
  expect(await world.stored()).toBe(storedBefore);
});

const every = OPERATIONS.map((operation): [string, Operation] => [`${operation.method} ${operation.path}`, operation]);
const withParts = every.filter(([, { path }]) => path.includes(':'));
const withIds = withParts.filter(([, { params }]) => !('agent' in params!.shape)); // agents belong to no tenant
const withQueries = every.filter(([, { query }]) => query);
const withBodies = every.filter(([, { body }]) => body);

/** A body each route takes. */
const GOOD: Record<string, unknown> = {
  createRun: { appId: 'demo', policy: 'default' },
  answerInput: { response: { text: 'Ada' } },
  runAgent: { agent: 'echo' },
  answerAgent: { requestId: requestInput().requestId, response: { text: 'Ada' } },
  postMessage: { content: 'hello' },
};
const bodyOf = ({ id, method }: Operation): unknown => (method === 'post' ? (GOOD[id] ?? {}) : undefined);
const pathOf = ({ path }: Operation, id: string, requestId: string = requestInput().requestId): string =>
  path.replace(/:(requestId|version)/, requestId).replace(/:(id|runId|agent)/, id);
const ownPathOf = (operation: Operation): string =>
  pathOf(operation, operation.path.startsWith('/api/threads') ? thread : ours.runId);
const ask = (operation: Operation, path: string, token?: string, body: unknown = bodyOf(operation)): Promise<Answer> =>
  world.ask(operation.method === 'get' ? 'GET' : 'POST', path, token === undefined ? { body } : { body, token });

const expectProblem = ({ status, headers, body }: Answer, ...statuses: number[]): Problem => {
  expect(statuses).toContain(status);
  expect(headers['content-type']).toMatch(/^application\/problem\+json/);
  expect(headers['x-request-id']).toBe(body['requestId']);
  const problem = Problem.parse(body);
  expect(problem.status).toBe(status);
  return problem;
};

describe.each(every)('%s', (_, operation) => {
  it('needs a token', async () => {
    const path = ownPathOf(operation);
    const none = await world.ask(operation.method === 'get' ? 'GET' : 'POST', path, { token: undefined, body: {} });
    expect(expectProblem(none, 401).code).toBe('UNAUTHENTICATED');
    expect(none.headers['www-authenticate']).toBe('Bearer');
  });

  it('needs its scope', async () => {
    const scope = scopeOf(operation) === 'runs:read' ? 'runs:write' : 'runs:read runs:writes';
    const token = await world.token({ scope });
    expect(expectProblem(await ask(operation, ownPathOf(operation), token), 403).code).toBe('FORBIDDEN');
  });
});

describe.each(every)('%s', (_, operation) => {
  it('refuses a word in the address that it does not know, and names it', async () => {
    for (const word of ['surprise', 'fromSequence', 'Limit']) {
      const problem = expectProblem(await ask(operation, `${ownPathOf(operation)}?${word}=2`), 400);
      expect([problem.code, problem.errors]).toMatchObject(['VALIDATION_FAILED', [{ field: word }]]);
    }
  });

  it('refuses a field in the body that it does not know, and names it', async () => {
    if (operation.method !== 'post') return;
    const body = { ...(bodyOf(operation) as object), retryOnFailures: { maxRetries: 1 } };
    const problem = expectProblem(await ask(operation, ownPathOf(operation), undefined, body), 400);
    expect([problem.code, problem.errors]).toMatchObject(['VALIDATION_FAILED', [{ field: 'retryOnFailures' }]]);
  });
});

describe.each(withIds)('%s', (_, operation) => {
  it("answers for another tenant's id as for one that is not there", async () => {
    const token = await world.token({ tenant_id: world.bob });
    const foreign = expectProblem(await ask(operation, ownPathOf(operation), token), 404);
    const missing = expectProblem(await ask(operation, pathOf(operation, world.ids.next())), 404);
    const { instance: _a, requestId: _b, ...told } = foreign;
    const { instance: _c, requestId: _d, ...unknown } = missing;
    expect(told).toEqual(unknown);
  });

  it('refuses an id with something hostile added, or in lower case', async () => {
    for (const id of [`${ours.runId}.*`, `${ours.runId}%00`, `${ours.runId}%0A`, ours.runId.toLowerCase()]) {
      expect(expectProblem(await ask(operation, pathOf(operation, id)), 400).errors).toHaveLength(1);
    }
  });
});

describe.each(withParts)('%s', (_, operation) => {
  it.each(['*', '>', '%00', '..', 'a.b', '%2e%2e%2f', '%F0%9F%92%A7', 'é', "'--", 'x'.repeat(90)])(
    'refuses the id %s',
    async (id) => {
      expectProblem(await ask(operation, pathOf(operation, id)), 400, 404);
    },
  );

  // The router answers these itself, before any hook or filter.
  it.each(['%', '%zz', '%c0%ae', 'x'.repeat(5_000)])('never hears of what is no address: %s', async (id) => {
    const { status, headers, body } = await ask(operation, pathOf(operation, id));
    expect([400, 414]).toContain(status);
    expect(headers['content-type']).toContain('application/problem+json');
    expect(body).toMatchObject({ status, code: expect.any(String) });
  });
});

describe.each(withQueries)('%s', (_, operation) => {
  it('refuses each of its parameters when it is sent twice, or is nothing', async () => {
    for (const field of Object.keys(operation.query?.shape ?? {})) {
      for (const query of [`${field}=1&${field}=2`, `${field}[a]=1&${field}=`]) {
        const problem = expectProblem(await ask(operation, `${ownPathOf(operation)}?${query}`), 400);
        expect(problem.errors?.map((error) => error.field)).toContain(field);
      }
    }
  });
});

describe.each(withBodies)('%s', (_, operation) => {
  it.each([
    ['no JSON', '{"appId":'],
    ['a list', '[]'],
    ['a text', '"x"'],
    ['a number', '1'],
    ['a deep list', `{"appId":"a","policy":"b","input":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    ['fields of other types', '{"appId":1,"reason":1,"note":1,"title":1,"content":1,"agent":1,"requestId":1}'],
  ])('refuses %s', async (_what, text) => {
    expectProblem(await ask(operation, ownPathOf(operation), undefined, text), 400);
  });

  it('refuses ten megabytes', async () => {
    const body = JSON.stringify({ input: 'x'.repeat(10_000_000) });
    const answer = await ask(operation, ownPathOf(operation), undefined, body);
    expect(expectProblem(answer, 413).code).toBe('PAYLOAD_TOO_LARGE');
  });

  it.each([
    ['text/xml', '<a/>'],
    ['text/plain', '{"appId":"a","policy":"b"}'],
    ['application/x-www-form-urlencoded', 'appId=a&policy=b&agent=echo&content=hello'],
    ['multipart/form-data; boundary=x', '--x--'],
    ['application/json5', '{}'],
    ['nonsense', '{}'],
  ])('refuses what is no JSON by its type: %s', async (type, body) => {
    const answer = await world.ask('POST', ownPathOf(operation), { body, headers: { 'content-type': type } });
    expect(expectProblem(answer, 415).code).toBe('UNSUPPORTED_MEDIA_TYPE');
  });

  it.each([
    ['__proto__', '{"appId":"a","__proto__":{"isAdmin":true}}'],
    ['__proto__', '{"appId":"a","\\u005f_proto__":null}'],
    ['constructor.prototype', '{"appId":"a","constructor":{"prototype":{"x":1}}}'],
    ['input.0.__proto__', '{"appId":"a","input":[{"__proto__":1}]}'],
  ])('refuses %s, and says that this is why', async (field, text) => {
    const problem = expectProblem(await ask(operation, ownPathOf(operation), undefined, text), 400);
    expect([problem.code, problem.errors]).toMatchObject(['VALIDATION_FAILED', [{ field }]]);
  });
});

describe('A token', () => {
  const claims = () => ({ tenant_id: world.ada, scope: 'runs:read runs:write', sub: 'ada' });
  const signed = (
    change: (jwt: SignJWT) => SignJWT = (jwt) => jwt,
    more: object = {},
    secret = SECRET,
    alg = 'HS256',
  ) =>
    change(
      new SignJWT({ ...claims(), ...more })
        .setProtectedHeader({ alg })
        .setIssuer('spec')
        .setAudience('millrace')
        .setExpirationTime('1h'),
    ).sign(new TextEncoder().encode(secret));
  const withoutExp = () =>
    new SignJWT(claims())
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer('spec')
      .setAudience('millrace')
      .sign(new TextEncoder().encode(SECRET));
  const tampered = async () => {
    const [header, , signature] = (await signed()).split('.');
    const payload = Buffer.from(JSON.stringify({ ...claims(), tenant_id: world.bob })).toString('base64url');
    return [header, payload, signature].join('.');
  };
  const unsecured = async () =>
    new UnsecuredJWT(claims()).setIssuer('spec').setAudience('millrace').setExpirationTime('1h').encode();

  it.each<[string, () => Promise<string>]>([
    ['that nobody signed (alg none)', unsecured],
    ['of another key', () => signed(undefined, {}, 'another secret, just as long as ours is')],
    ['of another algorithm', () => signed(undefined, {}, SECRET + SECRET, 'HS512')],
    ['that never expires', withoutExp],
    ['that has expired', () => signed((jwt) => jwt.setExpirationTime('-1h'))],
    ['that is not good yet', () => signed((jwt) => jwt.setNotBefore('1h'))],
    ['for another audience', () => signed((jwt) => jwt.setAudience('elsewhere'))],
    ['of another issuer', () => signed((jwt) => jwt.setIssuer('mallory'))],
    ['whose claims were changed', tampered],
    ['for the tenant *', () => signed(undefined, { tenant_id: '*' })],
    ['for the tenant >', () => signed(undefined, { tenant_id: '>' })],
    ['for two tenants', () => signed(undefined, { tenant_id: [world.ada, world.bob] })],
    ['for no tenant', () => signed(undefined, { tenant_id: undefined })],
    ['of nobody', () => signed(undefined, { sub: undefined })],
    ['of a name without end', () => signed(undefined, { sub: 'x'.repeat(300) })],
    ['whose scope is a list', () => signed(undefined, { scope: ['runs:write'] })],
    ['that is none', async () => 'a.b.c'],
    ['that is empty', async () => ''],
  ])('%s is refused', async (_, make) => {
    const body = { appId: 'demo', policy: 'default' };
    const problem = expectProblem(await world.ask('POST', '/agents/runs', { token: await make(), body }), 401);
    expect(problem.code).toBe('UNAUTHENTICATED');
  });

  it('is looked for in the header only, as a bearer', async () => {
    const token = await world.token();
    for (const authorization of [`Basic ${token}`, token, `Bearer ${token} ${token}`, `Bearer ${token},x`]) {
      const answer = await world.ask('GET', `/agents/runs/${ours.runId}`, {
        token: undefined,
        headers: { authorization },
      });
      expectProblem(answer, 401);
    }
    expectProblem(
      await world.ask('GET', `/agents/runs/${ours.runId}?access_token=${token}`, { token: undefined }),
      401,
    );
  });
});

describe('Everything else', () => {
  it('is a problem as well', async () => {
    expect(expectProblem(await world.ask('GET', '/nowhere'), 404).code).toBe('NOT_FOUND');
    expect(expectProblem(await world.ask('GET', '/agents'), 404).code).toBe('NOT_FOUND');
    for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded']) {
      const headers = { 'content-type': type };
      expectProblem(await world.ask('POST', '/nowhere', { body: '{"', headers }), 404);
    }
    const blank = expectProblem(await world.ask('POST', '/agents/runs', { body: ' ' }), 400);
    expect([blank.code, blank.detail]).toEqual(['MALFORMED_REQUEST', expect.stringContaining('JSON')]);
  });

  it('names a field inside another that nobody knows, and leaves alone what agents are told', async () => {
    const order = { appId: 'demo', policy: 'default' };
    const body = { ...order, retryOnFailure: { maxRetries: 1, maxRetry: 2 } };
    const { errors } = expectProblem(await world.ask('POST', '/agents/runs', { body }), 400);
    expect(errors).toMatchObject([{ field: 'retryOnFailure.maxRetry' }]);
    const free = { ...order, threadId: '*', input: { whatever: 1 }, seedState: { whatever: 2 } };
    const refused = expectProblem(await world.ask('POST', '/agents/runs', { body: free }), 400);
    expect(refused.errors).toMatchObject([{ field: 'threadId' }]); // and nothing else
  });

  it.each([
    ['agent', '/agents/runs', { appId: 'demo', policy: 'default', agent: 'echo\n\u0000\u0007' }],
    ['appId', '/agents/runs', { appId: 'de\tmo', policy: 'default' }],
    ['policy', '/agents/runs', { appId: 'demo', policy: '\u007f' }],
    ['projectId', '/agents/runs', { appId: 'demo', policy: 'default', projectId: 'p\u0085' }],
    ['agent', '/api/agent/run', { agent: 'echo\r' }],
    ['agent', '/api/threads', { agent: 'echo\u001b[31m' }],
    ['projectId', '/api/threads', { projectId: '\n' }],
  ])('takes no %s that cannot be printed at %s', async (field, path, body) => {
    expect(expectProblem(await world.ask('POST', path, { body }), 400).errors).toEqual([
      { field, message: 'must not contain control characters, like line feeds' },
    ]);
  });

  it('names the field that is wrong', async () => {
    const body = { appId: '', policy: 'default', threadId: '*' };
    const { code, errors } = expectProblem(await world.ask('POST', '/agents/runs', { body }), 400);
    expect(code).toBe('VALIDATION_FAILED');
    expect(errors?.map(({ field }) => field)).toEqual(['appId', 'threadId']);
    for (const query of ['fromSeq=-1', 'fromSeq=x', 'limit=0', 'limit=1001', 'limit=1&limit=2', 'fromSeq=1e400']) {
      const [field] = query.split('=');
      const answer = await world.ask('GET', `/agents/runs/${ours.runId}/events?${query}`);
      expect(expectProblem(answer, 400).errors).toMatchObject([{ field }]);
    }
  });

  it("keeps a caller's request id, unless it could do harm", async () => {
    const idOf = async (id: string) =>
      (await world.ask('GET', '/nowhere', { headers: { 'x-request-id': id } })).body['requestId'];
    expect(await idOf('mine-1')).toBe('mine-1');
    for (const bad of ['a b', '{"x":1}', 'x'.repeat(200)]) expect(await idOf(bad)).toMatch(/^[0-9A-Z]{26}$/);
  });

  it('is open only where nothing of a tenant is shown', async () => {
    for (const path of ['/health/live', '/health/ready', '/openapi.json']) {
      expect((await world.ask('GET', path, { token: undefined })).status).toBe(200);
    }
  });
});
