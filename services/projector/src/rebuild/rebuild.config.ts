import { ConfigInvalid } from '@millrace/kernel';
import { databaseUrlEnv, parseEnv, serviceEnv } from '@millrace/nest-kit';
import { join } from 'node:path';
import { z } from 'zod';

const Env = z.object({
  NATS_URL: serviceEnv(0).NATS_URL.optional(),
  DATABASE_URL: databaseUrlEnv.optional(),
  MILLRACE_HOME: z.string().optional(),
});

/** The part of it that is used here; the launcher writes it. */
const Stack = z.object({ natsUrl: z.string(), databaseUrl: z.string() });

export interface RebuildConfig {
  /** Of a user that may read the whole log. */
  readonly natsUrl: string;
  /** Of the owner: it makes and drops tables. */
  readonly databaseUrl: string;
}

/** The servers that are named, or else those of the stack that runs here. */
export function loadRebuildConfig(
  env: Record<string, string | undefined>,
  workspace: string,
  read: (file: string) => string | undefined,
): RebuildConfig {
  const { NATS_URL: natsUrl, DATABASE_URL: databaseUrl, MILLRACE_HOME } = parseEnv(Env, env);
  if (natsUrl !== undefined && databaseUrl !== undefined) return { natsUrl, databaseUrl };
  if (natsUrl !== undefined || databaseUrl !== undefined) {
    throw new ConfigInvalid('Set both NATS_URL and DATABASE_URL (of the owner), or none of them');
  }
  const file = join(MILLRACE_HOME ?? join(workspace, '.millrace'), 'stack.json');
  const text = read(file);
  if (text === undefined) {
    throw new ConfigInvalid(
      `Nothing runs here (no ${file}): npm start, or set NATS_URL and DATABASE_URL (of the owner)`,
    );
  }
  return Stack.parse(JSON.parse(text));
}
