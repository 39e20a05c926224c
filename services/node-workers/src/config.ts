import { countEnv, listEnv, parseEnv, serviceConfig, serviceEnv } from '@millrace/nest-kit';
import { z } from 'zod';

const Env = z.object({
  ...serviceEnv(3012),
  AGENT_MODULES: listEnv,
  /** How many nodes run in this process at the same time. */
  CONCURRENCY: countEnv(20),
  SHUTDOWN_GRACE_MS: countEnv(20_000),
});

export type Config = ReturnType<typeof loadConfig>;

export function loadConfig(env: Record<string, string | undefined>) {
  const parsed = parseEnv(Env, env);
  const { AGENT_MODULES: agentModules, CONCURRENCY: concurrency, SHUTDOWN_GRACE_MS: graceMs } = parsed;
  return { ...serviceConfig(parsed), agentModules, concurrency, graceMs } as const;
}
