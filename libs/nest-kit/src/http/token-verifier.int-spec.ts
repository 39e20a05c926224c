import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { aTenantId } from '@millrace/contracts';
import { exportJWK, exportSPKI, generateKeyPair, type GenerateKeyPairResult, SignJWT } from 'jose';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TokenVerifier } from './token-verifier.js';

let server: Server;
let keys: GenerateKeyPairResult;
let others: GenerateKeyPairResult;
let url: string;
let published: { keys: unknown[] };
let fetches = 0;
beforeAll(async () => {
  keys = await generateKeyPair('ES256', { extractable: true });
  others = await generateKeyPair('ES256', { extractable: true });
  published = { keys: [{ ...(await exportJWK(keys.publicKey)), kid: 'one', alg: 'ES256' }] };
  server = createServer((request, response) => {
    fetches += 1;
    response.statusCode = request.url === '/keys' ? 200 : 500;
    response.end(JSON.stringify(published));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
});

const verifierAt = (jwksUrl: string) =>
  new TokenVerifier({ secret: undefined, jwksUrl, issuer: 'spec', audience: 'millrace' });
const token = (key: Parameters<SignJWT['sign']>[0], kid = 'one', alg = 'ES256') =>
  new SignJWT({ tenant_id: aTenantId, scope: 'runs:read', sub: 'ada' })
    .setProtectedHeader({ alg, kid })
    .setIssuer('spec')
    .setAudience('millrace')
    .setExpirationTime('1h')
    .sign(key);

describe('A token verifier with a key set', () => {
  it('knows who comes with a token of a published key', async () => {
    expect(await verifierAt(`${url}/keys`).verify(await token(keys.privateKey))).toEqual({
      tenantId: aTenantId,
      userId: 'ada',
      scopes: new Set(['runs:read']),
      expiresAt: expect.any(Date),
    });
  });

  it('refuses another key, an id nobody published, and a public key used as a secret', async () => {
    const verifier = verifierAt(`${url}/keys`);
    const publicAsSecret = new TextEncoder().encode(await exportSPKI(keys.publicKey));
    for (const bad of [
      await token(others.privateKey),
      await token(keys.privateKey, 'two'),
      await token(publicAsSecret, 'one', 'HS256'),
    ]) {
      await expect(verifier.verify(bad)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    }
  });

  it('does not take a key set that cannot be read for a bad token', async () => {
    const good = await token(keys.privateKey);
    for (const away of [`${url}/broken`, 'http://127.0.0.1:1/keys']) {
      await expect(verifierAt(away).verify(good)).rejects.toMatchObject({ code: 'KEYS_UNAVAILABLE' });
    }
  });

  it('knows a token again, until its key set was fetched again and has its key no more', async () => {
    const verifier = verifierAt(`${url}/keys`);
    const good = await token(keys.privateKey);
    await verifier.verify(good);
    const first = await verifier.verify(good);
    const before = fetches;
    expect(await verifier.verify(good)).toBe(first);
    expect(fetches).toBe(before);

    const { keys: withdrawn } = published;
    published = { keys: [{ ...(await exportJWK(others.publicKey)), kid: 'two', alg: 'ES256' }] };
    jest.useFakeTimers({ now: Date.now() + 11 * 60_000, doNotFake: UNFAKED });
    try {
      await expect(verifier.verify(good)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
      expect(fetches).toBeGreaterThan(before);
    } finally {
      jest.useRealTimers();
      published = { keys: withdrawn };
    }
  });
});

/** Only the clock is set forward. */
const UNFAKED = [
  ...(['hrtime', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate', 'clearImmediate'] as const),
  ...(['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] as const),
];
