import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { EXAMPLES, OPERATIONS, type Operation, Problem, RunsPage } from '@millrace/contracts';
import { SECRET } from '@millrace/testing/services';
import { SignJWT, UnsecuredJWT } from 'jose';
import { ulid } from 'ulid';
import { type Answer, HttpStack } from './http-stack.for-spec.js';

/** No orchestrator: the run stays as it was asked for, and only what is refused could change the log. */
let stack: HttpStack;
let runId: string;
let threadId: string;
let before: number;
beforeAll(async () => {
  stack = await HttpStack.start('projector', 'run-api', 'node-workers');
  runId = String((await stack.post('/agents/runs', EXAMPLES['createRun']?.body)).body['runId']);
  threadId = String((await stack.post('/api/threads', {})).body['threadId']);
});
afterAll(() => stack.stop());

beforeEach(async () => {
  before = await stack.stored();
});
afterEach(async () => {
  expect(await stack.stored()).toBe(before);
  expect(stack.complaints('run-api')).toEqual([]);
});

const REQUEST_ID = '01JD0000000000000000000005';
const all = OPERATIONS.map((operation): [string, Operation] => [`${operation.method} ${operation.path}`, operation]);
const withIds = all.filter(([, { path }]) => path.includes(':'));
const withBodies = all.filter(([, { body }]) => body);

const ownId = ({ path }: Operation): string => (path.startsWith('/api/threads') ? threadId : runId);
const pathOf = ({ path }: Operation, id: string): string =>
  path.replace(':requestId', REQUEST_ID).replace(/:(id|runId)/, id);
const ask = (operation: Operation, path: string, headers?: Record<string, string>): Promise<Answer> =>
  stack.ask(operation.method.toUpperCase(), path, EXAMPLES[operation.id]?.body, headers);

const expectProblem = ({ status, headers, body }: Answer, ...statuses: number[]): Problem => {
  expect(statuses).toContain(status);
  expect(headers.get('content-type')).toMatch(/^application\/problem\+json/);
  return Problem.parse(body);
};

/** All that is said, but for which request it was, which id was asked for, and what was asked before. */
const told = ({ status, headers, text, body }: Answer, id: string): unknown => {
  const kept = [...headers].filter(([name]) => !['date', 'x-request-id', 'ratelimit', 'content-length'].includes(name));
  return { status, headers: kept, text: text.replaceAll(String(body['requestId']), 'R').replaceAll(id, 'I') };
};

describe.each(withIds)('%s', (_, operation) => {
  it("answers for another tenant's id byte by byte as for one that is not there", async () => {
    const missing = ulid();
    const stranger = { authorization: `Bearer ${await stack.token({ tenant_id: ulid() })}` };
    const foreign = await ask(operation, pathOf(operation, ownId(operation)), stranger);
    const nobodys = await ask(operation, pathOf(operation, missing), stranger);
    expectProblem(foreign, 404);
    expect(told(foreign, ownId(operation))).toEqual(told(nobodys, missing));
  });

  it.each([
    ['*', '*'],
    ['>', '%3E'],
    ['NUL', '%00'],
    ['an id and NUL', `${REQUEST_ID}%00`],
    ['dots', 'a.b.c'],
    ['an id and a wildcard', `${REQUEST_ID}.*`],
    ['5,000 characters', 'x'.repeat(5_000)],
    ['unicode', encodeURIComponent('мельница💧')],
    ['half a character', '%c3'],
    ['a line feed', '%0a'],
    ['a path', '..%2f..%2fetc%2fpasswd'],
    ['SQL', encodeURIComponent("' or 1=1 --")],
  ])('refuses %s as an id', async (_what, id) => {
    expectProblem(await ask(operation, pathOf(operation, id)), 400, 404, 414);
  });
});

describe.each(withBodies)('%s', (_, operation) => {
  const send = (text: string): Promise<Answer> =>
    stack.ask(operation.method.toUpperCase(), pathOf(operation, ownId(operation)), text);

  it.each([
    ['no JSON', '{"appId":'],
    ['nothing but a NUL', '\u0000'],
    ['a list', '[]'],
    ['__proto__', '{"appId":"a","policy":"b","__proto__":{"isAdmin":true}}'],
    ['a constructor', '{"appId":"a","policy":"b","constructor":{"prototype":{"isAdmin":true}}}'],
    ['100,000 lists in each other', `{"appId":"a","policy":"b","input":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    ['fields of other types', '{"appId":1,"reason":1,"note":1,"title":1,"content":1,"agent":1,"requestId":1}'],
  ])('refuses %s', async (_what, text) => {
    expectProblem(await send(text), 400);
  });

  it('refuses 10 MB', async () => {
    expectProblem(await send(JSON.stringify({ input: 'x'.repeat(10_000_000) })), 413);
  });

  it('refuses what is no JSON by its type', async () => {
    const path = pathOf(operation, ownId(operation));
    const xml = await stack.ask('POST', path, '<run/>', { 'content-type': 'application/xml' });
    expectProblem(xml, 415);
  });
});

describe('A token', () => {
  const claims = () => ({ tenant_id: stack.tenantId, scope: 'runs:read runs:write', sub: 'ada' });
  const good = () => new SignJWT(claims()).setIssuer('e2e').setAudience('millrace').setExpirationTime('1h');
  const key = new TextEncoder().encode(SECRET);
  const signed = (jwt: SignJWT, by = key, alg = 'HS256') => jwt.setProtectedHeader({ alg }).sign(by);

  it.each<[string, () => string | Promise<string>]>([
    ['with alg none', () => new UnsecuredJWT({ ...claims(), iss: 'e2e', aud: 'millrace', exp: 4e9 }).encode()],
    ['of another key', () => signed(good(), new TextEncoder().encode(`${SECRET}!`))],
    ['of another algorithm', () => signed(good(), new TextEncoder().encode(SECRET.repeat(2)), 'HS512')],
    ['without exp', () => signed(new SignJWT(claims()).setIssuer('e2e').setAudience('millrace'))],
    ['that has expired', () => signed(good().setExpirationTime('-1h'))],
    ['for another audience', () => signed(good().setAudience('elsewhere'))],
    ['of another issuer', () => signed(good().setIssuer('mallory'))],
    ['that is nonsense', () => 'a.b.c'],
  ])('%s opens no route', async (_, make) => {
    const headers = { authorization: `Bearer ${await make()}` };
    for (const [, operation] of all) {
      const problem = expectProblem(await ask(operation, pathOf(operation, ownId(operation)), headers), 401);
      expect(problem.code).toBe('UNAUTHENTICATED');
    }
  });

  it('opens reading alone when it says so', async () => {
    const headers = { authorization: `Bearer ${await stack.token({ scope: 'runs:read' })}` };
    for (const [, operation] of all.filter(([, { method, scope }]) => method === 'post' && scope === undefined)) {
      expectProblem(await ask(operation, pathOf(operation, ownId(operation)), headers), 403);
    }
  });
});

describe('The list', () => {
  it.each([
    ['status', 'status=done'],
    ['agent', 'agent=%00'],
    ['threadId', 'threadId=*'],
    ['createdFrom', 'createdFrom=now'],
    ['limit', 'limit=1e9'],
    ['cursor', `cursor=${'x'.repeat(400)}`],
    ['limits', 'limits=1'],
  ])('names %s as what is wrong', async (field, query) => {
    expect(expectProblem(await stack.get(`/agents/runs?${query}`), 400).errors).toMatchObject([{ field }]);
  });

  it("takes no cursor of another tenant's list", async () => {
    const other = ulid();
    const authorization = `Bearer ${await stack.token({ tenant_id: other })}`;
    const body = EXAMPLES['createRun']?.body;
    for (let count = 0; count < 2; count += 1) await stack.post('/agents/runs', body, { authorization });
    let cursor: string | undefined;
    while (cursor === undefined) {
      const { body: page } = await stack.ask('GET', '/agents/runs?limit=1', undefined, { authorization });
      cursor = RunsPage.parse(page).nextCursor;
    }
    expectProblem(await stack.get(`/agents/runs?cursor=${cursor}`), 400);
    before = await stack.stored(); // two runs were made on purpose
  });
});
