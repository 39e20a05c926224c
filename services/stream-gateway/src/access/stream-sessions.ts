import { RunId, TenantId } from '@millrace/contracts';
import { jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';

/** Who may follow one run, and until when, without showing a token again. */
export interface StreamSession {
  readonly tenantId: TenantId;
  readonly runId: RunId;
  readonly expiresAt: Date;
}

export interface SessionSettings {
  readonly secret: string;
  /** False only where browsers come over plain HTTP. */
  readonly secure: boolean;
}

const COOKIE = 'millrace_stream';
const AUDIENCE = 'millrace-stream-session';
const TYPE = 'stream-session+jwt';
const ALGORITHM = 'HS256';

const Claims = z.object({ tenant_id: TenantId, run_id: RunId, exp: z.number() });

/**
 * A browser that lost its stream asks again for the very same address, with the ticket it has used. The cookie set when
 * the ticket was redeemed tells that it is the same browser. It is good for one run, and sent for one address only.
 */
export class StreamSessions {
  readonly #key: Uint8Array;

  constructor(private readonly settings: SessionSettings) {
    this.#key = new TextEncoder().encode(settings.secret);
  }

  /** The `Set-Cookie` for it. `path` is that of the request. */
  async cookieFor({ tenantId, runId, expiresAt }: StreamSession, path: string): Promise<string> {
    const exp = Math.floor(expiresAt.getTime() / 1_000);
    const value = await new SignJWT({ tenant_id: tenantId, run_id: runId, aud: AUDIENCE, exp })
      .setProtectedHeader({ alg: ALGORITHM, typ: TYPE })
      .sign(this.#key);
    const maxAge = Math.max(exp - Math.floor(Date.now() / 1_000), 0);
    const secure = this.settings.secure ? '; Secure' : '';
    return `${COOKIE}=${value}; Path=${path}; Max-Age=${maxAge}; HttpOnly; SameSite=Strict${secure}`;
  }

  /** The session a `Cookie` header holds; undefined when it holds none that is good. */
  async sessionIn(header: string | undefined): Promise<StreamSession | undefined> {
    const value = valueIn(header);
    if (value === undefined) return undefined;
    try {
      const rules = { algorithms: [ALGORITHM], audience: AUDIENCE, typ: TYPE, requiredClaims: ['exp'] };
      const { tenant_id, run_id, exp } = Claims.parse((await jwtVerify(value, this.#key, rules)).payload);
      return { tenantId: tenant_id, runId: run_id, expiresAt: new Date(exp * 1_000) };
    } catch {
      return undefined; // expired, forged or from another time: as if there were none, and the ticket decides
    }
  }
}

const valueIn = (header = ''): string | undefined =>
  header
    .split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${COOKIE}=`))
    ?.slice(COOKIE.length + 1);
