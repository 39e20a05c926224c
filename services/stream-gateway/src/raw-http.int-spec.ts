import 'reflect-metadata';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FACT_FIXTURES, Problem, type RunRef } from '@millrace/contracts';
import { rawExchange } from '@millrace/testing/servers';
import { type Gateway, GatewayWorld, paths } from './gateway-world.for-spec.js';

let world: GatewayWorld;
let gateway: Gateway;
let run: RunRef;
beforeAll(async () => {
  world = await GatewayWorld.start();
  gateway = await world.gateway();
  run = await world.run();
  await world.say(run, FACT_FIXTURES.RunStarted);
});
afterAll(() => world.stop());

const HOST = 'Host: millrace\r\n';

describe('What is no request', () => {
  it.each([
    ['a header of 20 kB', 431, 'HEADERS_TOO_LARGE', `GET / HTTP/1.1\r\n${HOST}X: ${'x'.repeat(20_000)}\r\n\r\n`],
    ['no request line', 400, 'MALFORMED_REQUEST', 'hello there\r\n\r\n'],
  ])('is answered with a problem: %s', async (_, status, code, sent) => {
    const answer = await rawExchange(gateway.url, sent);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/problem+json; charset=utf-8',
      'content-length': String(Buffer.byteLength(answer.body)),
      connection: 'close',
    });
    expect([answer.status, Problem.parse(JSON.parse(answer.body))]).toMatchObject([status, { status, code }]);
  });

  it('ends an open stream, and is no part of it', async () => {
    const asked = `GET ${paths.native(run)} HTTP/1.1\r\n${HOST}Authorization: Bearer ${await world.token()}\r\n\r\n`;
    const { status, text } = await rawExchange(gateway.url, asked, 'nonsense\r\n\r\n');
    expect([status, text.match(/HTTP\/1\.1 /g)]).toEqual([200, ['HTTP/1.1 ']]);
    expect(text).not.toContain('MALFORMED_REQUEST');
  });
});

describe('A stream', () => {
  it.each(['native', 'agent', 'thread'] as const)('takes GET and HEAD alone: %s', async (dialect) => {
    for (const method of ['POST', 'PUT', 'DELETE']) {
      const answer = await fetch(`${gateway.url}${paths[dialect](run)}`, { method });
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
      expect(Problem.parse(await answer.json())).toMatchObject({ status: 405, code: 'METHOD_NOT_ALLOWED' });
    }
    const authorization = `Bearer ${await world.token()}`;
    const head = await fetch(`${gateway.url}${paths[dialect](run)}`, { method: 'HEAD', headers: { authorization } });
    expect(head.status).toBe(200);
  });
});
