import { RunId, type StreamTicketAnswer, TenantId } from '@millrace/contracts';
import { errors, jwtVerify, SignJWT } from 'jose';
import { ulid } from 'ulid';
import { z } from 'zod';
import { Unauthenticated } from './auth-errors.js';
import type { TicketSettings } from './ticket-env.js';
import type { Identity } from './token-verifier.js';

/** What a good ticket says. */
export interface StreamTicket {
  /** Of this one ticket: who redeems it remembers it until `expiresAt`, and takes it once. */
  readonly id: string;
  readonly tenantId: TenantId;
  readonly userId: string;
  readonly runId: RunId;
  readonly expiresAt: Date;
  /** Until when a stream opened with it may live: as long as the token it was asked for with. */
  readonly sessionExpiresAt: Date;
}

const AUDIENCE = 'millrace-stream';
const TYPE = 'stream-ticket+jwt';
const ALGORITHM = 'HS256';

const Claims = z.object({
  jti: z.ulid(),
  tenant_id: TenantId,
  sub: z.string().min(1).max(256),
  run_id: RunId,
  exp: z.number(),
  session_exp: z.number(),
});

/**
 * Lets a browser that cannot set headers follow one run for a short time. The secret is no other's: a ticket is never a
 * token, nor a token a ticket.
 */
export class StreamTickets {
  readonly #key: Uint8Array;
  readonly #ttlMs: number;

  constructor({ secret, ttlSeconds }: TicketSettings) {
    this.#key = new TextEncoder().encode(secret);
    this.#ttlMs = ttlSeconds * 1_000;
  }

  /** Whether there is such a run for the caller is for whoever calls to know. */
  async mint(caller: Pick<Identity, 'tenantId' | 'userId' | 'expiresAt'>, runId: RunId): Promise<StreamTicketAnswer> {
    const expiresAt = new Date(Math.min(Date.now() + this.#ttlMs, caller.expiresAt.getTime()));
    const claims = {
      ...{ tenant_id: caller.tenantId, sub: caller.userId, run_id: runId, jti: ulid(), aud: AUDIENCE },
      ...{ exp: secondsOf(expiresAt), session_exp: secondsOf(caller.expiresAt) },
    };
    const ticket = await new SignJWT(claims).setProtectedHeader({ alg: ALGORITHM, typ: TYPE }).sign(this.#key);
    return { ticket, expiresAt: new Date(claims.exp * 1_000).toISOString() };
  }

  async verify(ticket: string): Promise<StreamTicket> {
    const claims = Claims.safeParse(await this.claimsIn(ticket));
    if (!claims.success) throw new Unauthenticated('The stream ticket is not valid', { cause: claims.error });
    const { jti, tenant_id, sub, run_id, exp, session_exp } = claims.data;
    return {
      ...{ id: jti, tenantId: tenant_id, userId: sub, runId: run_id },
      ...{ expiresAt: new Date(exp * 1_000), sessionExpiresAt: new Date(session_exp * 1_000) },
    };
  }

  private async claimsIn(ticket: string): Promise<unknown> {
    const rules = { algorithms: [ALGORITHM], audience: AUDIENCE, typ: TYPE, requiredClaims: ['exp'] };
    try {
      return (await jwtVerify(ticket, this.#key, rules)).payload;
    } catch (cause) {
      const what = cause instanceof errors.JWTExpired ? 'has expired; ask for another' : 'is not valid';
      throw new Unauthenticated(`The stream ticket ${what}`, { cause });
    }
  }
}

const secondsOf = (date: Date): number => Math.floor(date.getTime() / 1_000);
