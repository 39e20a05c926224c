import { countEnv, parseEnv, serviceConfig, serviceEnv } from '@millrace/nest-kit';
import { z } from 'zod';

const Env = z.object({
  ...serviceEnv(3011),
  MAX_ACTIVE_RUNS: countEnv(200),
  MAX_ACTIVE_RUNS_PER_TENANT: countEnv(50),
  STARTS_PER_SECOND_PER_TENANT: z.coerce.number('must be a number').positive().optional(),
  STANDING_AFTER_SECONDS: countEnv(30),
  CONCURRENCY: countEnv(32),
});

export type Config = ReturnType<typeof loadConfig>;

export function loadConfig(env: Record<string, string | undefined>) {
  const parsed = parseEnv(Env, env);
  return {
    ...serviceConfig(parsed),
    limits: {
      maxActive: parsed.MAX_ACTIVE_RUNS,
      maxActivePerTenant: parsed.MAX_ACTIVE_RUNS_PER_TENANT,
      startsPerSecondPerTenant: parsed.STARTS_PER_SECOND_PER_TENANT,
      standingAfterMs: parsed.STANDING_AFTER_SECONDS * 1_000,
    },
    concurrency: parsed.CONCURRENCY,
  } as const;
}
