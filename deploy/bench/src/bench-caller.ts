import type { TenantId } from '@millrace/contracts';
import { SignJWT } from 'jose';
import { randomBytes } from 'node:crypto';

const SECRET = randomBytes(32).toString('hex');
const ISSUER = 'bench';
const NO_LIMIT = '1000000000';

/** What a service with HTTP is told, so that it takes our tokens and as many requests as it can. */
export const HTTP_ENV: Readonly<Record<string, string>> = {
  ...{ AUTH_JWT_SECRET: SECRET, AUTH_ISSUER: ISSUER, AUTH_AUDIENCE: ISSUER, STREAM_TICKET_SECRET: SECRET },
  ...{ RATE_LIMIT_READS_PER_MINUTE: NO_LIMIT, RATE_LIMIT_WRITES_PER_MINUTE: NO_LIMIT },
  RATE_LIMIT_UNKNOWN_PER_MINUTE: NO_LIMIT,
  ...{ MAX_STREAMS: '20000', MAX_STREAMS_PER_TENANT: '20000' },
};

export const tokenFor = (tenantId: TenantId): Promise<string> =>
  new SignJWT({ tenant_id: tenantId, scope: 'runs:read runs:write' })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject('bench')
    .setIssuer(ISSUER)
    .setAudience(ISSUER)
    .setExpirationTime('1h')
    .sign(new TextEncoder().encode(SECRET));
