import { describe, expect, it } from '@jest/globals';
import { aRunId, aTenantId } from '@millrace/contracts';
import { decodeJwt, SignJWT, UnsecuredJWT } from 'jose';
import { StreamTickets } from './stream-tickets.js';

const secret = 'a secret that is known to the specs only';
const tickets = new StreamTickets({ secret, ttlSeconds: 60 });
const inSeconds = (seconds: number): Date => new Date((Math.floor(Date.now() / 1_000) + seconds) * 1_000);
const ada = (expiresAt = inSeconds(3_600)) => ({ tenantId: aTenantId, userId: 'ada', expiresAt });

describe('A stream ticket', () => {
  it('says whose it is, for which run, and how long what it opens may live', async () => {
    const expiresAt = inSeconds(3_600);
    const { ticket, expiresAt: until } = await tickets.mint(ada(expiresAt), aRunId);
    const read = await tickets.verify(ticket);
    expect(read).toMatchObject({ tenantId: aTenantId, userId: 'ada', runId: aRunId, sessionExpiresAt: expiresAt });
    expect(read.expiresAt.toISOString()).toBe(until);
    expect(read.expiresAt.getTime()).toBeLessThanOrEqual(Date.now() + 60_000);
  });

  it('has an id of its own each time', async () => {
    const [one, two] = await Promise.all([tickets.mint(ada(), aRunId), tickets.mint(ada(), aRunId)]);
    expect((await tickets.verify(one.ticket)).id).not.toBe((await tickets.verify(two.ticket)).id);
  });

  it('is never good for longer than the token it was asked for with', async () => {
    const expiresAt = inSeconds(5);
    const { ticket } = await tickets.mint(ada(expiresAt), aRunId);
    expect((await tickets.verify(ticket)).expiresAt).toEqual(expiresAt);
  });

  it('is refused once it has expired, and the refusal says so', async () => {
    const { ticket } = await tickets.mint(ada(inSeconds(-5)), aRunId);
    await expect(tickets.verify(ticket)).rejects.toMatchObject({
      ...{ code: 'UNAUTHENTICATED', message: 'The stream ticket has expired; ask for another' },
    });
  });

  it('is refused when somebody else made it, or it was made for something else', async () => {
    const claims = decodeJwt((await tickets.mint(ada(), aRunId)).ticket);
    const key = new TextEncoder().encode(secret);
    const signed = (change: Record<string, unknown>, typ = 'stream-ticket+jwt', by = key, alg = 'HS256') =>
      new SignJWT({ ...claims, ...change }).setProtectedHeader({ alg, typ }).sign(by);
    await expect(tickets.verify(await signed({}))).resolves.toMatchObject({ runId: aRunId }); // only what differs is refused
    for (const bad of [
      await signed({}, 'JWT'),
      await signed({}, 'stream-ticket+jwt', new TextEncoder().encode(`${secret}!`)),
      await signed({}, 'stream-ticket+jwt', new TextEncoder().encode(secret.repeat(2)), 'HS512'),
      await signed({ aud: 'millrace' }),
      await signed({ exp: undefined }),
      await signed({ tenant_id: '*' }),
      await signed({ run_id: '>' }),
      await signed({ jti: undefined }),
      await signed({ session_exp: undefined }),
      new UnsecuredJWT(claims).encode(),
      'nonsense',
      '',
    ]) {
      await expect(tickets.verify(bad)).rejects.toMatchObject({
        ...{ code: 'UNAUTHENTICATED', message: 'The stream ticket is not valid' },
      });
    }
  });
});
