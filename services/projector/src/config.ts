import { databaseUrlEnv, parseEnv, serviceConfig, serviceEnv } from '@millrace/nest-kit';
import { z } from 'zod';

const Env = z.object({ ...serviceEnv(3010), DATABASE_URL: databaseUrlEnv });

export type Config = ReturnType<typeof loadConfig>;

export function loadConfig(env: Record<string, string | undefined>) {
  const parsed = parseEnv(Env, env);
  return { ...serviceConfig(parsed), databaseUrl: parsed.DATABASE_URL } as const;
}
