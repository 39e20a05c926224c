import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import { json, problem, SpecServer } from '../run-server.for-spec.js';
import { waitBefore } from './backoff.js';
import { retryAfterOf } from './problem-reader.js';

const ORDER = { appId: 'demo', policy: 'default' };
const RUN = '01JD0000000000000000000002';
let server: SpecServer;

beforeAll(async () => {
  server = await SpecServer.start();
});
afterAll(() => server.stop());

/** The first answers come from the list, all others from its last entry. */
const inTurn = (...answers: ((response: ServerResponse) => void)[]) => {
  let turn = 0;
  server.answers((_, response) => answers[Math.min(turn++, answers.length - 1)]?.(response));
};
const created = (response: ServerResponse) => json(response, 201, { runId: RUN });
const busy =
  (status: number, headers = {}) =>
  (response: ServerResponse) =>
    json(response, status, problem(status, 'BUSY'), headers);
const hangUp = (response: ServerResponse) => void response.destroy();

describe('A request', () => {
  it('carries its token and its body, and nothing it was not asked to', async () => {
    inTurn(created);
    const client = server.client({ getToken: async () => 'secret', headers: { 'x-app': 'spec' } });
    expect(await client.runs.create(ORDER)).toEqual({ runId: RUN });
    const [asked] = server.asked;
    expect(asked).toMatchObject({ method: 'POST', path: '/agents/runs', body: ORDER });
    expect(asked?.headers).toMatchObject({
      ...{ authorization: 'Bearer secret', 'content-type': 'application/json', 'x-app': 'spec' },
    });
  });

  it('is repeated under the same key until it is answered', async () => {
    inTurn(hangUp, busy(503), busy(429, { 'retry-after': '0' }), created);
    await server.client().runs.create(ORDER);
    const keys = server.asked.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toHaveLength(4);
    expect(new Set(keys).size).toBe(1);
    await server.client().runs.create(ORDER);
    expect(server.asked.at(-1)?.headers['idempotency-key']).not.toBe(keys[0]);
    await server.client().runs.create(ORDER, { idempotencyKey: 'mine' });
    expect(server.asked.at(-1)?.headers['idempotency-key']).toBe('mine');
  });

  it('is given up after as many attempts as it has', async () => {
    inTurn(busy(503));
    await expect(server.client().runs.get(RUN)).rejects.toMatchObject({ status: 503, code: 'BUSY' });
    expect(server.asked).toHaveLength(4);
    inTurn(hangUp);
    await expect(server.client({ retry: { attempts: 2, firstMs: 1 } }).runs.get(RUN)).rejects.toMatchObject({
      code: 'CONNECTION_FAILED',
    });
    expect(server.asked).toHaveLength(2);
  });

  it('is not repeated when it was refused', async () => {
    inTurn(busy(409));
    await expect(server.client().runs.pause(RUN)).rejects.toMatchObject({ status: 409 });
    expect(server.asked).toHaveLength(1);
  });

  it('becomes an error that says what the server said', async () => {
    const errors = [{ field: 'appId', message: 'is missing' }];
    inTurn((response) => json(response, 400, { ...problem(400, 'VALIDATION_FAILED'), errors, requestId: 'r1' }));
    const refused = server.client().runs.create(ORDER);
    await expect(refused).rejects.toMatchObject({
      ...{ name: 'ApiError', status: 400, code: 'VALIDATION_FAILED', errors, requestId: 'r1' },
    });
  });

  it('becomes an error with a code also when a proxy answered', async () => {
    inTurn((response) => void response.writeHead(413, { 'content-type': 'text/html' }).end('<html>'));
    await expect(server.client().runs.get(RUN)).rejects.toMatchObject({ status: 413, code: 'HTTP_413' });
  });

  it('is ended by its signal, whatever it waits for', async () => {
    inTurn(() => undefined);
    const gone = new AbortController();
    const asking = server.client().runs.get(RUN, { signal: gone.signal });
    gone.abort(new Error('left the page'));
    await expect(asking).rejects.toThrow('left the page');

    const waiting = new AbortController();
    inTurn((response) => {
      busy(503, { 'retry-after': '60' })(response);
      response.once('close', () => waiting.abort(new Error('left the page')));
    });
    await expect(server.client().runs.get(RUN, { signal: waiting.signal })).rejects.toThrow('left the page');
  });

  it('does not wait for ever', async () => {
    inTurn(() => undefined);
    const impatient = server.client({ timeoutMs: 20, retry: { attempts: 2, firstMs: 1 } });
    await expect(impatient.runs.get(RUN)).rejects.toMatchObject({ code: 'CONNECTION_FAILED' });
    expect(server.asked).toHaveLength(2);
  });

  it('cannot be led to another route by an id', async () => {
    inTurn((response) => json(response, 200, {}));
    await server.client().runs.get('../threads/x?y');
    expect(server.asked[0]?.path).toBe('/agents/runs/..%2Fthreads%2Fx%3Fy');
  });
});

describe('A token that is refused', () => {
  it('is renewed once, for all requests that were refused with it', async () => {
    let current = 'old';
    const asked: boolean[] = [];
    const getToken = async ({ refresh }: { refresh: boolean }) => {
      asked.push(refresh);
      if (refresh) current = 'new';
      return current;
    };
    server.answers(({ headers }, response) =>
      headers.authorization === 'Bearer new'
        ? json(response, 200, {})
        : json(response, 401, problem(401, 'UNAUTHENTICATED')),
    );
    const client = server.client({ getToken });
    await Promise.all([client.runs.get(RUN), client.runs.steps(RUN), client.runs.logs(RUN)]);
    expect(asked.filter(Boolean)).toHaveLength(1);
  });

  it('is not renewed for ever', async () => {
    let issued = 0;
    inTurn(busy(401));
    const client = server.client({ getToken: () => `token-${issued++}` });
    await expect(client.runs.get(RUN)).rejects.toMatchObject({ status: 401 });
    expect(server.asked).toHaveLength(2);
  });
});

describe('The wait before another attempt', () => {
  it('doubles up to its bound, and lies in the upper half', () => {
    const backoff = { firstMs: 100, mostMs: 1_000 };
    expect([0, 1, 2, 3, 4, 50].map((attempt) => waitBefore(attempt, backoff, () => 0))).toEqual([
      ...[50, 100, 200, 400, 500, 500],
    ]);
    expect(waitBefore(0, backoff, () => 0.999_999)).toBe(100);
  });

  it('is what the server asks for, in seconds or as a date', () => {
    const now = Date.parse('2026-01-12T10:00:00Z');
    expect(retryAfterOf('3', now)).toBe(3_000);
    expect(retryAfterOf('Mon, 12 Jan 2026 10:00:05 GMT', now)).toBe(5_000);
    expect(retryAfterOf('Mon, 12 Jan 2026 09:00:00 GMT', now)).toBe(0);
    expect(retryAfterOf('soon', now)).toBeUndefined();
    expect(retryAfterOf(null, now)).toBeUndefined();
  });
});
