import { countEnv, listEnv, parseEnv, serviceConfig, serviceEnv } from '@millrace/nest-kit';
import { z } from 'zod';

const Env = z.object({
  ...serviceEnv(3012),
  AGENT_MODULES: listEnv,
  /** How many runs this process moves at the same time, one node of each. */
  CONCURRENCY: countEnv(20),
  /** How many more nodes run in it, of steps of several. */
  BRANCHES: countEnv(20),
  SHUTDOWN_GRACE_MS: countEnv(20_000),
});

export type Config = ReturnType<typeof loadConfig>;

export function loadConfig(env: Record<string, string | undefined>) {
  const parsed = parseEnv(Env, env);
  const {
    AGENT_MODULES: agentModules,
    CONCURRENCY: concurrency,
    BRANCHES: branches,
    SHUTDOWN_GRACE_MS: graceMs,
  } = parsed;
  return { ...serviceConfig(parsed), agentModules, concurrency, branches, graceMs } as const;
}
