import { countEnv, parseEnv, serviceConfig, serviceEnv } from '@millrace/nest-kit';
import { authConfig, authEnv, corsConfig, corsEnv, eitherKey, ticketConfig, ticketEnv } from '@millrace/nest-kit/http';
import { z } from 'zod';

const MIB = 1024 ** 2;

const Env = z
  .object({
    ...serviceEnv(3001),
    ...authEnv,
    ...ticketEnv,
    ...corsEnv,
    STREAM_COOKIE_SECURE: z.stringbool({ error: 'must be true or false' }).default(true),
    MAX_STREAMS: countEnv(10_000),
    MAX_STREAMS_PER_TENANT: countEnv(2_000),
    HEARTBEAT_SECONDS: countEnv(15),
    STALL_SECONDS: countEnv(30),
    RETRY_MS: countEnv(2_000),
    CACHE_MIB: countEnv(64),
    MAX_REPLAYS: countEnv(16),
  })
  .refine(...eitherKey);

export type Config = ReturnType<typeof loadConfig>;

export function loadConfig(env: Record<string, string | undefined>) {
  const parsed = parseEnv(Env, env);
  return {
    ...serviceConfig(parsed),
    auth: authConfig(parsed),
    tickets: ticketConfig(parsed),
    cors: corsConfig(parsed),
    sessions: { secret: parsed.STREAM_TICKET_SECRET, secure: parsed.STREAM_COOKIE_SECURE },
    connections: {
      max: parsed.MAX_STREAMS,
      maxPerTenant: parsed.MAX_STREAMS_PER_TENANT,
      heartbeatMs: parsed.HEARTBEAT_SECONDS * 1_000,
      stallMs: parsed.STALL_SECONDS * 1_000,
    },
    retryMs: parsed.RETRY_MS,
    pages: { maxBytes: parsed.CACHE_MIB * MIB, maxReads: parsed.MAX_REPLAYS },
  } as const;
}
