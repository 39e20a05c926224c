import 'reflect-metadata';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { FACT_FIXTURES, RunId, type RunRef } from '@millrace/contracts';
import { StreamTickets } from '@millrace/nest-kit/http';
import { TICKET_SECRET } from '@millrace/testing/services';
import { StreamSessions } from './access/stream-sessions.js';
import { type Gateway, GatewayWorld, idsOf, paths } from './gateway-world.for-spec.js';
import type { SseClient } from './sse-client.for-spec.js';

let world: GatewayWorld;
let one: Gateway;
let two: Gateway;
let run: RunRef;
beforeAll(async () => {
  world = await GatewayWorld.start();
  [one, two] = [await world.gateway(), await world.gateway({ STREAM_COOKIE_SECURE: 'false' })];
  run = await world.run();
  await world.say(run, FACT_FIXTURES.RunStarted, FACT_FIXTURES.RunFinished);
});
afterAll(() => world.stop());

const inAnHour = () => new Date(Date.now() + 3_600_000);
const ticketFor = async ({ tenantId, runId }: RunRef, tickets = world.tickets): Promise<string> =>
  (await tickets.mint({ tenantId, userId: 'ada', expiresAt: inAnHour() }, runId)).ticket;
/** As a browser does it: no header but perhaps a cookie. */
const open = (gateway: Gateway, path: string, ticket: string, cookie = ''): Promise<SseClient> =>
  world.open(gateway, `${path}${path.includes('?') ? '&' : '?'}ticket=${ticket}`, { cookie });
const cookieOf = ({ response }: SseClient): string => response.headers.get('set-cookie')?.split(';')[0] ?? '';
const codeOf = async ({ response }: SseClient): Promise<unknown> => ((await response.json()) as { code: string }).code;

describe('A stream ticket', () => {
  let ticket: string;
  beforeEach(async () => {
    ticket = await ticketFor(run);
  });

  it('opens one stream, without a token, and leaves a cookie for that address alone', async () => {
    const client = await open(one, paths.agent(run), ticket);
    expect(idsOf(await client.all())).toEqual([0, 1]);
    const cookie = client.response.headers.get('set-cookie');
    expect(cookie).toMatch(/; HttpOnly; SameSite=Strict; Secure$/);
    expect(cookie).toContain(`; Path=${paths.agent(run)};`);
  });

  it('is used up by the first, whichever process it asks', async () => {
    const tried = await Promise.all(
      Array.from({ length: 10 }, (_, at) => open(at % 2 ? one : two, paths.native(run), ticket)),
    );
    expect(tried.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const refused of tried.filter(({ status }) => status !== 200)) {
      expect([refused.status, await codeOf(refused)]).toEqual([401, 'TICKET_USED']);
    }
  });

  it('lets the browser that used it come back, to any process, with its cookie', async () => {
    const first = await open(two, paths.native(run), ticket);
    expect(first.response.headers.get('set-cookie')).not.toContain('Secure');
    const cookie = `theme=dark; ${cookieOf(first)}`;
    for (const gateway of [one, two]) {
      const again = await open(gateway, paths.native(run), ticket, cookie);
      expect([again.status, again.response.headers.get('set-cookie')]).toEqual([200, null]);
    }
    expect((await open(one, paths.native(run), ticket)).status).toBe(401);
  });

  it('that has expired is of no use but to a browser that has used it', async () => {
    const cookie = cookieOf(await open(one, paths.native(run), ticket));
    const old = await ticketFor(run, new StreamTickets({ secret: TICKET_SECRET, ttlSeconds: -10 }));
    expect((await open(one, paths.native(run), old, cookie)).status).toBe(200);
    expect([(await open(one, paths.native(run), old)).status]).toEqual([401]);
  });

  it('is good for its run only, and so is the cookie', async () => {
    const other = await world.run();
    const elsewhere = await open(one, paths.native(other), ticket);
    expect([elsewhere.status, await codeOf(elsewhere)]).toEqual([404, 'RUN_NOT_FOUND']);
    const cookie = cookieOf(await open(one, paths.native(run), ticket));
    const used = await ticketFor(other);
    await open(one, paths.native(other), used);
    expect(await codeOf(await open(one, paths.native(other), used, cookie))).toBe('TICKET_USED');
  });

  it('is not spent on what is refused, nor on HEAD', async () => {
    expect((await open(one, `${paths.native(run)}?fromSeq=x`, ticket)).status).toBe(400);
    expect((await open(one, `${paths.native(run)}?fromSeq=99`, ticket)).status).toBe(204);
    const head = await fetch(`${one.url}${paths.native(run)}?ticket=${ticket}`, { method: 'HEAD' });
    expect(head.status).toBe(200);
    const gone = { ...run, runId: RunId.parse(world.ids.next()) };
    const theirs = await ticketFor(gone);
    expect((await open(one, paths.native(gone), theirs)).status).toBe(404);
    expect((await open(one, paths.native(run), ticket)).status).toBe(200);
  });

  it.each([
    ['a text', async () => 'x'],
    ['a token', () => world.token()],
    ['of another secret', () => ticketFor(run, new StreamTickets({ secret: 'x'.repeat(40), ttlSeconds: 60 }))],
    [
      'a session',
      async () => {
        const sessions = new StreamSessions({ secret: TICKET_SECRET, secure: true });
        return /=([^;]+)/.exec(await sessions.cookieFor({ ...run, expiresAt: inAnHour() }, '/'))?.[1] ?? '';
      },
    ],
  ])('that is none is refused: %s', async (_, made) => {
    const refused = await open(one, paths.native(run), await made());
    expect([refused.status, await codeOf(refused)]).toEqual([401, 'UNAUTHENTICATED']);
  });

  it('in a cookie is no session', async () => {
    await open(one, paths.native(run), ticket);
    expect(await codeOf(await open(one, paths.native(run), ticket, `millrace_stream=${ticket}`))).toBe('TICKET_USED');
  });
});
