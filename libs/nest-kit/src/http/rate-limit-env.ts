import { z } from 'zod';
import { countEnv } from '../service-env.js';

export const rateLimitEnv = {
  RATE_LIMIT_READS_PER_MINUTE: countEnv(12_000),
  RATE_LIMIT_WRITES_PER_MINUTE: countEnv(3_000),
  RATE_LIMIT_UNKNOWN_PER_MINUTE: countEnv(300),
};

/** How many requests a minute: of one tenant, and of one address that shows no good token. */
export interface RateLimitSettings {
  readonly reads: number;
  readonly writes: number;
  readonly unknown: number;
}

export const rateLimitConfig = (env: z.infer<z.ZodObject<typeof rateLimitEnv>>): RateLimitSettings => ({
  reads: env.RATE_LIMIT_READS_PER_MINUTE,
  writes: env.RATE_LIMIT_WRITES_PER_MINUTE,
  unknown: env.RATE_LIMIT_UNKNOWN_PER_MINUTE,
});
