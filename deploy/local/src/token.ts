import type { TenantId } from '@millrace/contracts';
import { SignJWT } from 'jose';

export interface TokenClaims {
  readonly tenantId: TenantId;
  readonly subject: string;
  readonly scope: string;
}

const ISSUER = 'millrace-local';
const AUDIENCE = 'millrace';
export const EVERYTHING = 'runs:read runs:write';

/** What services are told to accept. Production brings an issuer of its own. */
export const authSettings = (secret: string): Record<string, string> => ({
  AUTH_JWT_SECRET: secret,
  AUTH_ISSUER: ISSUER,
  AUTH_AUDIENCE: AUDIENCE,
});

/** For development: good for a month, and for every service that knows the secret. */
export const mintToken = (secret: string, { tenantId, subject, scope }: TokenClaims): Promise<string> =>
  new SignJWT({ tenant_id: tenantId, scope })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setSubject(subject)
    .setIssuer(ISSUER)
    .setAudience(AUDIENCE)
    .setIssuedAt()
    .setExpirationTime('30d')
    .sign(new TextEncoder().encode(secret));
