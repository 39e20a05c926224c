import { ConfigInvalid } from '@millrace/kernel';
import { z } from 'zod';

const NATS_EXAMPLE = 'nats://user:password@127.0.0.1:4222';
const DATABASE_EXAMPLE = 'postgresql://user:password@127.0.0.1:5432/millrace';

/** Several servers of one cluster are separated by commas. */
const areNatsUrls = (text: string): boolean =>
  text.split(',').every((part) => URL.canParse(part.trim()) && /^(nats|tls):$/.test(new URL(part.trim()).protocol));

/** What every service reads from its environment. */
export const serviceEnv = (usualPort: number) => ({
  NATS_URL: z
    .string(`is missing; for example ${NATS_EXAMPLE}`)
    .refine(areNatsUrls, `must be the address of a NATS server, like ${NATS_EXAMPLE}`),
  HOST: z.string().default('127.0.0.1'),
  PORT: z.coerce.number('must be a port number').int().min(0).max(65_535).default(usualPort),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url('must be the address of an OTLP collector, like http://127.0.0.1:4318').optional(),
});

export const databaseUrlEnv = z
  .string(`is missing; for example ${DATABASE_EXAMPLE}`)
  .refine((text) => z.url({ protocol: /^postgres(ql)?$/ }).safeParse(text).success, {
    error: `must be the address of a PostgreSQL database, like ${DATABASE_EXAMPLE}`,
  });

/** A whole number that is at least 1, from text. */
export const countEnv = (usual: number, most: number = Number.MAX_SAFE_INTEGER) =>
  z.coerce
    .number('must be a number')
    .int('must be a whole number')
    .min(1, 'must be at least 1')
    .max(most, `must be at most ${most}`)
    .default(usual);

/** Several, separated by commas. */
export const listEnv = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  );

/** Lists everything that is wrong at once. A variable that is set to nothing counts as not set. */
export function parseEnv<T extends z.ZodType>(schema: T, env: Record<string, string | undefined>): z.infer<T> {
  const parsed = schema.safeParse(Object.fromEntries(Object.entries(env).filter(([, value]) => value !== '')));
  if (!parsed.success) throw new ConfigInvalid(z.prettifyError(parsed.error));
  return parsed.data;
}

export interface ServiceConfig {
  readonly natsUrl: string;
  readonly host: string;
  readonly port: number;
  readonly logLevel: string;
  readonly otlpEndpoint: string | undefined;
}

type ServiceEnv = z.infer<z.ZodObject<ReturnType<typeof serviceEnv>>>;

export const serviceConfig = (env: ServiceEnv): ServiceConfig => ({
  natsUrl: env.NATS_URL,
  host: env.HOST,
  port: env.PORT,
  logLevel: env.LOG_LEVEL,
  otlpEndpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT,
});
