import { Name } from '@millrace/contracts';
import { databaseUrlEnv, parseEnv, serviceConfig, serviceEnv } from '@millrace/nest-kit';
import {
  authConfig,
  authEnv,
  corsConfig,
  corsEnv,
  eitherKey,
  proxyConfig,
  proxyEnv,
  rateLimitConfig,
  rateLimitEnv,
  ticketConfig,
  ticketEnv,
} from '@millrace/nest-kit/http';
import { z } from 'zod';

const Env = z
  .object({
    ...serviceEnv(3000),
    ...authEnv,
    ...ticketEnv,
    ...corsEnv,
    ...rateLimitEnv,
    ...proxyEnv,
    DATABASE_URL: databaseUrlEnv,
    /** Where browsers find stream-gateway, when that is not where they find this service. */
    STREAM_URL: z
      .url({
        protocol: /^https?$/,
        error: 'must be where browsers find stream-gateway, like https://stream.example.com',
      })
      .transform((url) => url.replace(/\/+$/, ''))
      .optional(),
    DEFAULT_AGENT: Name.default('echo'),
    DEFAULT_APP: Name.default('default'),
    DEFAULT_POLICY: Name.default('default'),
    /** The agent that reads what went wrong in a run before it is retried. */
    IMPROVER_AGENT: Name.default('improver'),
  })
  .refine(...eitherKey);

export type Config = ReturnType<typeof loadConfig>;

export function loadConfig(env: Record<string, string | undefined>) {
  const parsed = parseEnv(Env, env);
  return {
    ...serviceConfig(parsed),
    databaseUrl: parsed.DATABASE_URL,
    auth: authConfig(parsed),
    tickets: ticketConfig(parsed),
    cors: corsConfig(parsed),
    rateLimits: rateLimitConfig(parsed),
    trustedProxies: proxyConfig(parsed),
    streamUrl: parsed.STREAM_URL,
    improver: parsed.IMPROVER_AGENT,
    defaults: { agent: parsed.DEFAULT_AGENT, appId: parsed.DEFAULT_APP, policy: parsed.DEFAULT_POLICY },
  } as const;
}
