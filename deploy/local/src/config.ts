import { ConfigInvalid } from '@millrace/kernel';
import { z } from 'zod';
import { PORT_VARIABLES } from './services.js';

const port = z.coerce.number('must be a port number').int().min(1).max(65_535).optional();
const url = (protocol: RegExp, example: string) =>
  z
    .string()
    .refine((text) => text.split(',').every((part) => z.url({ protocol }).safeParse(part.trim()).success), {
      error: `must be an address like ${example}`,
    })
    .optional();

const Env = z.object({
  NATS_URL: url(/^(nats|tls)$/, 'nats://user:password@127.0.0.1:4222'),
  NATS_REPLICAS: z.enum(['1', '3'], 'must be 1 or 3').default('1'),
  DATABASE_URL: url(/^postgres(ql)?$/, 'postgresql://owner:password@127.0.0.1:5432/millrace'),
  DATABASE_APP_PASSWORD: z.string().optional(),
  DATABASE_READER_PASSWORD: z.string().optional(),
  ...Object.fromEntries(PORT_VARIABLES.map((name) => [name, port])),
});

export interface LauncherConfig {
  /** Servers to use instead of starting some. */
  readonly natsUrl?: string | undefined;
  readonly databaseUrl?: string | undefined;
  readonly replicas: 1 | 3;
  /** Three servers of ours instead of one. */
  readonly isCluster: boolean;
  /** What the projector connects to the database with; made by itself when it is not given. */
  readonly appPassword?: string | undefined;
  /** The same for services that only read. */
  readonly readerPassword?: string | undefined;
  /** By variable; only those somebody asked for. */
  readonly ports: ReadonlyMap<string, number>;
  /** Handed on to services as it is. */
  readonly env: NodeJS.ProcessEnv;
}

/** Lists everything that is wrong at once. A variable that is set to nothing counts as not set. */
export function loadConfig(env: NodeJS.ProcessEnv, isCluster = false): LauncherConfig {
  const parsed = Env.safeParse(Object.fromEntries(Object.entries(env).filter(([, value]) => value !== '')));
  if (!parsed.success) throw new ConfigInvalid(z.prettifyError(parsed.error));
  const { NATS_URL, NATS_REPLICAS, DATABASE_URL, DATABASE_APP_PASSWORD, DATABASE_READER_PASSWORD, ...asked } =
    parsed.data;
  if (isCluster && NATS_URL !== undefined) {
    throw new ConfigInvalid('NATS_URL names servers of your own and --cluster starts three: leave one of them out');
  }
  const ports = Object.entries(asked).filter((entry): entry is [string, number] => entry[1] !== undefined);
  return {
    natsUrl: NATS_URL,
    databaseUrl: DATABASE_URL,
    replicas: isCluster || NATS_REPLICAS === '3' ? 3 : 1,
    isCluster,
    appPassword: DATABASE_APP_PASSWORD,
    readerPassword: DATABASE_READER_PASSWORD,
    ports: new Map(ports),
    env,
  };
}
