import { ConfigInvalid } from '@millrace/kernel';
import { z } from 'zod';

const NATS_EXAMPLE = 'nats://user:password@127.0.0.1:4222';
const DATABASE_EXAMPLE = 'postgresql://user:password@127.0.0.1:5432/millrace';

/** Several servers of one cluster are separated by commas. */
const areNatsUrls = (text: string): boolean =>
  text.split(',').every((part) => URL.canParse(part.trim()) && /^(nats|tls):$/.test(new URL(part.trim()).protocol));

const Env = z.object({
  NATS_URL: z
    .string(`is missing; for example ${NATS_EXAMPLE}`)
    .refine(areNatsUrls, `must be the address of a NATS server, like ${NATS_EXAMPLE}`),
  DATABASE_URL: z
    .string(`is missing; for example ${DATABASE_EXAMPLE}`)
    .refine((text) => z.url({ protocol: /^postgres(ql)?$/ }).safeParse(text).success, {
      error: `must be the address of a PostgreSQL database, like ${DATABASE_EXAMPLE}`,
    }),
  HOST: z.string().default('127.0.0.1'),
  PORT: z.coerce.number('must be a port number').int().min(0).max(65_535).default(3010),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
});

export type Config = ReturnType<typeof loadConfig>;

/** Lists everything that is wrong at once. A variable that is set to nothing counts as not set. */
export function loadConfig(env: Record<string, string | undefined>) {
  const parsed = Env.safeParse(Object.fromEntries(Object.entries(env).filter(([, value]) => value !== '')));
  if (!parsed.success) throw new ConfigInvalid(z.prettifyError(parsed.error));
  const { NATS_URL, DATABASE_URL, HOST, PORT, LOG_LEVEL } = parsed.data;
  return { natsUrl: NATS_URL, databaseUrl: DATABASE_URL, host: HOST, port: PORT, logLevel: LOG_LEVEL } as const;
}
