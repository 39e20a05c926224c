import { describe, expect, it } from '@jest/globals';
import { aTenantId } from '@millrace/contracts';
import { jwtVerify } from 'jose';
import { authSettings, mintToken } from './token.js';

const claims = { tenantId: aTenantId, subject: 'ada', scope: 'runs:read' };

const verify = (token: string, secret: string) => {
  const { AUTH_JWT_SECRET, AUTH_ISSUER = '', AUTH_AUDIENCE = '' } = authSettings(secret);
  return jwtVerify(token, new TextEncoder().encode(AUTH_JWT_SECRET), { issuer: AUTH_ISSUER, audience: AUTH_AUDIENCE });
};

describe('mintToken', () => {
  it('makes a token that the settings handed to services accept, with the claims they read', async () => {
    const { payload } = await verify(await mintToken('a secret of the stack', claims), 'a secret of the stack');
    expect(payload).toMatchObject({ sub: 'ada', tenant_id: aTenantId, scope: 'runs:read' });
    expect(payload.exp).toBeGreaterThan(payload.iat ?? Infinity);
  });

  it('makes none that a stack with another secret accepts', async () => {
    const token = await mintToken('a secret of the stack', claims);
    await expect(verify(token, 'a secret of another one')).rejects.toMatchObject({
      code: 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED',
    });
  });
});
