import type { Caller } from '@millrace/application';
import { TenantId } from '@millrace/contracts';
import {
  createRemoteJWKSet,
  errors,
  jwksCache,
  type JWKSCacheInput,
  jwtVerify,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
} from 'jose';
import { z } from 'zod';
import type { AuthSettings } from './auth-env.js';
import { KeysUnavailable, Unauthenticated } from './auth-errors.js';
import { VerifiedTokens } from './verified-tokens.js';

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

const CLOCK_TOLERANCE_SECONDS = 5;

export class TokenVerifier {
  readonly #options: JWTVerifyOptions;
  readonly #key: JWTVerifyGetKey;
  /** What tokens are verified with; undefined when it has to be fetched first. */
  readonly #keys: () => unknown;
  readonly #verified = new VerifiedTokens(CLOCK_TOLERANCE_SECONDS);

  constructor({ secret, jwksUrl, issuer, audience }: AuthSettings) {
    const algorithms = jwksUrl === undefined ? SHARED : PUBLISHED;
    const clockTolerance = CLOCK_TOLERANCE_SECONDS;
    this.#options = { algorithms, issuer, audience, requiredClaims: ['exp', 'sub'], clockTolerance };
    if (jwksUrl === undefined) {
      const shared = new TextEncoder().encode(secret);
      this.#key = () => shared;
      this.#keys = () => shared;
    } else {
      const fetched: JWKSCacheInput = {};
      const published = createRemoteJWKSet(new URL(jwksUrl), { [jwksCache]: fetched });
      this.#key = published;
      // A key that was withdrawn is refused as soon as the set was fetched again, and no later than without a memory.
      this.#keys = () => (published.fresh ? (fetched as { jwks?: unknown }).jwks : undefined);
    }
  }

  async verify(token: string): Promise<Identity> {
    const keys = this.#keys();
    const known = keys === undefined ? undefined : this.#verified.find(token, keys);
    if (known !== undefined) return known;
    const identity = await this.identityIn(token);
    if (keys !== undefined && keys === this.#keys()) this.#verified.keep(token, identity, keys);
    return identity;
  }

  private async identityIn(token: string): Promise<Identity> {
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
