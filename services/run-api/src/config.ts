import { Name } from '@millrace/contracts';
import { parseEnv, serviceConfig, serviceEnv } from '@millrace/nest-kit';
import { z } from 'zod';

/** Below this a shared secret can be guessed from one token. */
const SHORTEST_SECRET = 32;

const Env = z
  .object({
    ...serviceEnv(3000),
    AUTH_JWT_SECRET: z.string().min(SHORTEST_SECRET, `must have at least ${SHORTEST_SECRET} characters`).optional(),
    AUTH_JWKS_URL: z.url({ protocol: /^https?$/, error: 'must be the address of a JSON Web Key Set' }).optional(),
    AUTH_ISSUER: z.string('is missing; it is the `iss` of the tokens to accept'),
    AUTH_AUDIENCE: z.string('is missing; it is the `aud` of the tokens to accept'),
    DEFAULT_AGENT: Name.default('echo'),
    DEFAULT_APP: Name.default('default'),
    DEFAULT_POLICY: Name.default('default'),
  })
  .refine(({ AUTH_JWT_SECRET, AUTH_JWKS_URL }) => (AUTH_JWT_SECRET === undefined) !== (AUTH_JWKS_URL === undefined), {
    error: 'set either this or AUTH_JWKS_URL',
    path: ['AUTH_JWT_SECRET'],
  });

export type Config = ReturnType<typeof loadConfig>;
export type AuthSettings = Config['auth'];
export type RunDefaults = Config['defaults'];

export function loadConfig(env: Record<string, string | undefined>) {
  const parsed = parseEnv(Env, env);
  return {
    ...serviceConfig(parsed),
    auth: {
      secret: parsed.AUTH_JWT_SECRET,
      jwksUrl: parsed.AUTH_JWKS_URL,
      issuer: parsed.AUTH_ISSUER,
      audience: parsed.AUTH_AUDIENCE,
    },
    defaults: { agent: parsed.DEFAULT_AGENT, appId: parsed.DEFAULT_APP, policy: parsed.DEFAULT_POLICY },
  } as const;
}
