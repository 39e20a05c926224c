import { NATS_USERS, type NatsUserName } from '@millrace/adapter-jetstream';
import { TenantId } from '@millrace/contracts';
import { randomBytes } from 'node:crypto';
import { ulid } from 'ulid';
import { z } from 'zod';
import type { Home } from './home.js';
import { FileUnreadable } from './launcher-errors.js';
import { readFileIfThere, writePrivateFile } from './private-file.js';

const newPassword = (): string => randomBytes(24).toString('base64url');
const password = () => z.string().min(1).default(newPassword);
const natsPasswords = Object.fromEntries(NATS_USERS.map((name) => [name, password()])) as Record<
  NatsUserName,
  ReturnType<typeof password>
>;

/** What is missing is made: the first start makes everything, a later version adds what is new in it. */
const Secrets = z.object({
  nats: z.object(natsPasswords).prefault({}),
  /** What the nats-servers of a cluster show each other. */
  natsRoutesPassword: password(),
  databasePassword: password(),
  databaseReaderPassword: password(),
  jwtSecret: password(),
  streamTicketSecret: password(),
  /** The tenant a developer works as. */
  tenantId: TenantId.default(() => TenantId.parse(ulid())),
});
export type Secrets = z.infer<typeof Secrets>;

/** Made once and kept, so that tokens and addresses stay good over restarts. */
export function loadSecrets({ secretsFile }: Home): Secrets {
  const secrets = Secrets.safeParse(parse(secretsFile));
  if (!secrets.success) throw unreadable(secretsFile, z.prettifyError(secrets.error));
  writePrivateFile(secretsFile, secrets.data);
  return secrets.data;
}

function parse(file: string): unknown {
  const text = readFileIfThere(file);
  if (text === undefined) return {};
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw unreadable(file, String(cause), { cause });
  }
}

const unreadable = (file: string, reason: string, options?: ErrorOptions): FileUnreadable =>
  new FileUnreadable(`${file} cannot be used: ${reason}\nRemove it, and new passwords are made`, options);
