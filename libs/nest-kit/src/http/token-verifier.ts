import type { Caller } from '@millrace/application';
import { TenantId } from '@millrace/contracts';
import { createRemoteJWKSet, errors, jwtVerify, type JWTVerifyGetKey, type JWTVerifyOptions } from 'jose';
import { z } from 'zod';
import type { AuthSettings } from './auth-env.js';
import { KeysUnavailable, Unauthenticated } from './auth-errors.js';

export type Scope = 'runs:read' | 'runs:write';

export interface Identity extends Caller {
  readonly scopes: ReadonlySet<string>;
  /** When the token stops being good. */
  readonly expiresAt: Date;
}

/** A tenant becomes part of a subject: what is no ULID is no tenant, whoever signed it. */
const Claims = z.object({
  sub: z.string().min(1).max(256),
  tenant_id: TenantId,
  scope: z.string().default(''),
  exp: z.number(),
});

/** Which algorithms are good follows from the kind of key, never from the token. */
const SHARED = ['HS256'];
const PUBLISHED = ['RS256', 'PS256', 'ES256', 'EdDSA'];

export class TokenVerifier {
  readonly #options: JWTVerifyOptions;
  readonly #key: JWTVerifyGetKey;

  constructor({ secret, jwksUrl, issuer, audience }: AuthSettings) {
    const algorithms = jwksUrl === undefined ? SHARED : PUBLISHED;
    this.#options = { algorithms, issuer, audience, requiredClaims: ['exp', 'sub'], clockTolerance: 5 };
    const shared = new TextEncoder().encode(secret);
    this.#key = jwksUrl === undefined ? () => shared : createRemoteJWKSet(new URL(jwksUrl));
  }

  async verify(token: string): Promise<Identity> {
    const claims = Claims.safeParse(await this.claimsIn(token));
    if (!claims.success) throw new Unauthenticated('The token does not say who it is for');
    const { sub, tenant_id, scope, exp } = claims.data;
    const expiresAt = new Date(exp * 1_000);
    return { tenantId: tenant_id, userId: sub, scopes: new Set(scope.split(' ')), expiresAt };
  }

  private async claimsIn(token: string): Promise<unknown> {
    try {
      return (await jwtVerify(token, this.#key, this.#options)).payload;
    } catch (cause) {
      if (cause instanceof errors.JWTExpired) throw new Unauthenticated('The token has expired', { cause });
      if (isTokensFault(cause)) throw new Unauthenticated('The token is not valid', { cause });
      throw new KeysUnavailable('The keys tokens are verified with cannot be read', { cause });
    }
  }
}

/** What else can happen is that the key set does not answer, or answers nonsense. */
const isTokensFault = (cause: unknown): boolean =>
  cause instanceof errors.JWTClaimValidationFailed ||
  cause instanceof errors.JWTInvalid ||
  cause instanceof errors.JWSInvalid ||
  cause instanceof errors.JWSSignatureVerificationFailed ||
  cause instanceof errors.JOSEAlgNotAllowed ||
  cause instanceof errors.JOSENotSupported ||
  cause instanceof errors.JWKSNoMatchingKey ||
  cause instanceof errors.JWKSMultipleMatchingKeys;
