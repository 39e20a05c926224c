import 'reflect-metadata';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OPERATIONS, Problem } from '@millrace/contracts';
import { rawExchange } from '@millrace/testing/servers';
import { ApiWorld } from './api-world.for-spec.js';

let world: ApiWorld;
let url: string;
beforeAll(async () => {
  world = await ApiWorld.start({
    ...{ CORS_ORIGINS: 'https://app.example.com', STREAM_URL: 'https://stream.example.com/live/' },
  });
  await world.app.listen(0, '127.0.0.1');
  url = await world.app.getUrl();
});
afterAll(() => world.stop());

const HOST = 'Host: millrace\r\n';

describe('What is no request', () => {
  it.each([
    [
      'a header of 20 kB',
      431,
      'HEADERS_TOO_LARGE',
      `GET /health/live HTTP/1.1\r\n${HOST}X: ${'x'.repeat(20_000)}\r\n\r\n`,
    ],
    [
      'headers of 2 MB',
      431,
      'HEADERS_TOO_LARGE',
      `GET /health/live HTTP/1.1\r\n${HOST}X: ${'x'.repeat(2_000_000)}\r\n\r\n`,
    ],
    ['an address of 20 kB', 431, 'HEADERS_TOO_LARGE', `GET /${'x'.repeat(20_000)} HTTP/1.1\r\n${HOST}\r\n`],
    ['no request line', 400, 'MALFORMED_REQUEST', 'hello there\r\n\r\n'],
    ['another protocol', 400, 'MALFORMED_REQUEST', '\u0016\u0003\u0001\u0002\u0000\u0001\r\n\r\n'],
    ['a header with a line feed in it', 400, 'MALFORMED_REQUEST', `GET / HTTP/1.1\r\n${HOST}X: a\rb\r\n\r\n`],
    [
      'a body of two lengths',
      400,
      'MALFORMED_REQUEST',
      `POST /agents/runs HTTP/1.1\r\n${HOST}Content-Length: 1\r\nContent-Length: 2\r\n\r\n{}`,
    ],
  ])('is answered with a problem and a closed connection: %s', async (_, status, code, sent) => {
    const answer = await rawExchange(url, sent);
    expect(answer.status).toBe(status);
    expect(Problem.parse(JSON.parse(answer.body))).toEqual({
      ...{ type: 'about:blank', status, code, title: expect.any(String) },
    });
    expect(answer.headers).toEqual({
      'content-type': 'application/problem+json; charset=utf-8',
      'content-length': String(Buffer.byteLength(answer.body)),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      connection: 'close',
      date: expect.stringMatching(/ GMT$/),
    });
  });

  it('is told as well after an answer on the same connection, and to nobody else', async () => {
    const good = `GET /health/live HTTP/1.1\r\n${HOST}\r\n`;
    const { text } = await rawExchange(url, good, 'nonsense\r\n\r\n');
    expect(text.match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
    expect((await fetch(`${url}/health/live`)).status).toBe(200);
  });
});

describe('A path that is there', () => {
  const pathOf = (path: string): string => path.replaceAll(/:\w+/g, world.ids.next());
  const ask = (method: string, path: string, headers: Record<string, string> = {}) =>
    fetch(`${url}${path}`, { method, headers });
  const methodsOf = (path: string): string[] =>
    OPERATIONS.filter((operation) => operation.path === path).flatMap(({ method }) =>
      method === 'get' ? ['GET', 'HEAD'] : ['POST'],
    );

  it.each([...new Set(OPERATIONS.map(({ path }) => path))])('says which methods it takes: %s', async (path) => {
    const allowed = methodsOf(path).sort();
    for (const method of ['DELETE', 'PUT', 'PATCH', 'GET', 'POST', 'PROPFIND'].filter(
      (each) => !allowed.includes(each),
    )) {
      const answer = await ask(method, pathOf(path));
      expect([method, answer.status, answer.headers.get('allow')]).toEqual([method, 405, allowed.join(', ')]);
      expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
      const problem = Problem.parse(await answer.json());
      expect(problem).toMatchObject({ code: 'METHOD_NOT_ALLOWED', requestId: answer.headers.get('x-request-id') });
    }
  });

  it('says so whatever is sent with it, and with the rules for browsers', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://app.example.com' };
    const answer = await fetch(`${url}/agents/runs?limit=1`, { method: 'PUT', headers, body: 'a=b' });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
    expect(answer.headers.get('access-control-allow-origin')).toBe('https://app.example.com');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('takes HEAD where it takes GET, and a preflight', async () => {
    expect((await ask('HEAD', '/health/live')).status).toBe(200);
    const headers = { origin: 'https://app.example.com', 'access-control-request-method': 'POST' };
    expect((await ask('OPTIONS', '/agents/runs', headers)).status).toBe(204);
    expect((await ask('OPTIONS', '/agents/runs')).status).toBe(404);
  });

  it('is not one that only begins like it', async () => {
    for (const path of ['/agents', '/agents/runs/', '/agents/runs//cancel', '/agents/runs/x/y/z', '/nowhere']) {
      expect([path, (await ask('DELETE', path)).status]).toEqual([path, 404]);
    }
  });
});

describe('The documents of an instance that knows where streams are', () => {
  it('lead there, and the page may call there', async () => {
    const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as { paths: Record<string, object> };
    const servers = [{ url: 'https://stream.example.com/live', description: 'stream-gateway' }];
    const led = Object.entries(paths).filter(([, path]) => 'servers' in path);
    expect(led.map(([path]) => path)).toEqual([
      '/agents/runs/{id}/stream',
      '/api/agent/{runId}/events',
      '/api/runs/{id}/events',
      '/agents/events',
    ]);
    for (const [, path] of led) expect(path).toMatchObject({ servers });
    const policy = (await fetch(`${url}/docs`)).headers.get('content-security-policy');
    expect(policy).toContain("connect-src 'self' https://stream.example.com;");
  });
});
