import 'reflect-metadata';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Problem } from '@millrace/contracts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Ask, ApiWorld } from './api-world.for-spec.js';

const PAGE = 'https://app.example.com';

let world: ApiWorld;
beforeAll(async () => {
  world = await ApiWorld.start({
    ...{ CORS_ORIGINS: `${PAGE}, http://localhost:5173` },
    ...{ RATE_LIMIT_READS_PER_MINUTE: '5', RATE_LIMIT_WRITES_PER_MINUTE: '2', RATE_LIMIT_UNKNOWN_PER_MINUTE: '3' },
    TRUSTED_PROXIES: '10.9.0.0/16',
  });
});
afterAll(() => world.stop());

const asTenant = async (): Promise<Required<Pick<Ask, 'token'>>> => ({
  token: await world.token({ tenant_id: world.ids.next() }),
});
const order = { appId: 'demo', policy: 'default' };

describe('Rate limits', () => {
  it('hold for reads and writes of a tenant apart, and say how much is left', async () => {
    const { token } = await asTenant();
    const write = () => world.ask('POST', '/agents/runs', { token, body: order });
    const first = await write();
    expect(first.headers).toMatchObject({ 'ratelimit-policy': '"writes";q=2;w=60', ratelimit: '"writes";r=1;t=30' });
    const answers = [first, await write(), await write()];
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 429]);
    const { headers, body } = answers[2]!;
    expect(Problem.parse(body)).toMatchObject({ status: 429, code: 'RATE_LIMITED' });
    expect(headers['ratelimit']).toMatch(/^"writes";r=0;t=\d+$/);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    const runId = String(first.body['runId']);
    const read = await world.ask('GET', `/agents/runs/${runId}`, { token });
    expect([read.status, read.headers['ratelimit-policy']]).toEqual([200, '"reads";q=5;w=60']);
  });

  it('of one tenant are no other tenant’s', async () => {
    const ada = await asTenant();
    for (let count = 0; count < 3; count += 1) await world.ask('POST', '/agents/runs', { ...ada, body: order });
    expect((await world.ask('POST', '/agents/runs', { ...ada, body: order })).status).toBe(429);
    expect((await world.ask('POST', '/agents/runs', { ...(await asTenant()), body: order })).status).toBe(201);
  });

  it('hold for an address without a good token, and for nobody else there', async () => {
    const ask = (token: string | undefined) => world.ask('GET', '/agents/runs', { token });
    const statuses = [];
    for (const token of [undefined, 'a.b.c', undefined, undefined]) statuses.push((await ask(token)).status);
    expect(statuses).toEqual([401, 401, 401, 429]);
    expect((await ask((await asTenant()).token)).status).toBe(200);
  });

  it('count an address by what a trusted proxy says of it, and by nothing anybody else says', async () => {
    const asked = async (ip: string, forwarded: string): Promise<number> => {
      const headers = { 'x-forwarded-for': forwarded };
      return (await world.app.inject({ method: 'GET', url: '/agents/runs', remoteAddress: ip, headers })).statusCode;
    };
    const statuses = [];
    for (let at = 0; at < 4; at += 1) statuses.push(await asked('10.9.8.7', `198.51.100.${at}`));
    expect(statuses).toEqual([401, 401, 401, 401]); // four people behind our proxy
    const forged = [];
    for (let at = 0; at < 4; at += 1) forged.push(await asked('10.9.8.7', `203.0.113.${at}, 192.0.2.1`));
    expect(forged).toEqual([401, 401, 401, 429]); // one person behind it, who says to be four
    const outside = [];
    for (let at = 0; at < 4; at += 1) outside.push(await asked('192.0.2.7', `198.51.100.${at}`));
    expect(outside).toEqual([401, 401, 401, 429]); // one person who says to be a proxy
  });

  it('do not hold for health and documents', async () => {
    for (let count = 0; count < 10; count += 1) {
      const { status, headers } = await world.ask('GET', '/health/ready', { token: undefined });
      expect([status, headers['ratelimit']]).toEqual([200, undefined]);
    }
  });
});

describe('Browsers', () => {
  const preflight = (origin: string) =>
    world.app.inject({
      method: 'OPTIONS',
      url: '/agents/runs',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type,idempotency-key',
      },
    });

  it.each([PAGE, 'http://localhost:5173'])('may call from the page of %s', async (origin) => {
    const { statusCode, headers, payload } = await preflight(origin);
    expect([statusCode, payload]).toEqual([204, '']);
    expect(headers).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-credentials': 'true',
      'access-control-allow-methods': 'GET, HEAD, POST',
      'access-control-allow-headers': expect.stringContaining('idempotency-key'),
      'access-control-max-age': '600',
    });
    const answer = await world.ask('GET', '/agents/runs', { token: undefined, headers: { origin } });
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-credentials': 'true',
      'access-control-expose-headers': expect.stringContaining('x-request-id'),
      vary: 'Origin',
    });
  });

  it.each([`${PAGE}.evil.example`, 'http://app.example.com', 'null', `${PAGE}:8443`])(
    'may not read an answer in the page of %s',
    async (origin) => {
      const { headers, statusCode } = await preflight(origin);
      expect(statusCode).toBe(404);
      const answer = await world.ask('GET', '/health/live', { token: undefined, headers: { origin } });
      for (const told of [headers, answer.headers]) {
        expect(Object.keys(told).filter((name) => name.startsWith('access-control-'))).toEqual([]);
      }
    },
  );

  it.each(['/health/live', '/nowhere', '/agents/runs'])('are told what they may do with %s: nothing', async (path) => {
    const { headers } = await world.ask('GET', path, { token: undefined });
    expect(headers).toMatchObject({
      'content-security-policy': "default-src 'none';frame-ancestors 'none';base-uri 'none';form-action 'none'",
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'strict-transport-security': expect.stringContaining('max-age='),
      'cache-control': 'no-store',
    });
    expect(headers).not.toHaveProperty('x-powered-by');
  });
});

describe('The page with the documents', () => {
  const fetch = (url: string) => world.app.inject({ method: 'GET', url });

  it('loads nothing but what is served here, under a policy that allows nothing else', async () => {
    const page = await fetch('/docs');
    expect([page.statusCode, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers['content-security-policy']).toContain("script-src 'self';");
    const loaded = [...page.payload.matchAll(/(?:src|href)="(docs[^"]+)"/g)].map(([, path]) => path);
    expect(loaded).toHaveLength(3);
    for (const path of loaded) {
      const { statusCode, headers, payload } = await fetch(`/${path}`);
      expect([path, statusCode]).toEqual([path, 200]);
      expect(headers['content-type']).toMatch(/^text\/(css|javascript)/);
      expect(payload.length).toBeGreaterThan(100);
    }
    expect((await fetch('/docs/start.js')).payload).toContain("url: 'openapi.json'");
  });

  it('is found with a slash at the end as well', async () => {
    const { statusCode, headers } = await fetch('/docs/');
    expect([statusCode, headers.location]).toEqual([308, '../docs']);
    expect(new URL(String(headers.location), 'https://example.com/millrace/docs/').pathname).toBe('/millrace/docs');
  });

  it('shows the document that is in proto/', async () => {
    const served = await fetch('/openapi.json');
    expect(served.headers['content-type']).toContain('application/json');
    const written = readFileSync(join(import.meta.dirname, '..', '..', '..', 'proto', 'openapi.json'), 'utf8');
    expect(served.json()).toEqual(JSON.parse(written));
  });
});
