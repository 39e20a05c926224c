import {
  connectNats,
  JetStreamBlobStore,
  JetStreamRunLog,
  NATS_USERS,
  type NatsConnection,
  natsUsers,
  type NatsUserName,
  type RunLogOptions,
  setUpTopology,
  STREAMS,
  type TopologySize,
  UlidEventIds,
} from '@millrace/adapter-jetstream';
import { type ServiceName, TenantId } from '@millrace/contracts';
import { type JWTPayload, SignJWT } from 'jose';
import type { TestNats, TestNatsOptions, TestServer } from '../servers/test-server.js';
import type { SpecPostgres } from './spec-postgres.js';

export const SECRET = 'a secret that is known to the specs only';
export const TICKET_SECRET = 'another secret, for stream tickets and sessions alone';
const AUDIENCE = 'millrace';
const PASSWORD = 'secret';
const PASSWORDS = Object.fromEntries(NATS_USERS.map((user) => [user, PASSWORD])) as Record<NatsUserName, string>;

/** Each service has a user of its own, who may do what that service needs. */
export const NATS_WITH_USERS: TestNatsOptions = { extraConfig: natsUsers(PASSWORDS) };

export interface SpecServersOptions {
  /** Our own connections carry it, and it issues the tokens. */
  readonly name?: string;
  readonly size?: TopologySize;
  readonly log?: RunLogOptions;
}

type NatsServer = Pick<TestServer, 'url' | 'stop'>;

/** Real servers as services find them, and what specs do beside the services: they write the log and sign tokens. */
export class SpecServers<Nats extends NatsServer = TestNats> {
  readonly ids = new UlidEventIds();
  readonly ada = TenantId.parse(this.ids.next());
  readonly bob = TenantId.parse(this.ids.next());
  readonly #name: string;
  #opened: { readonly nats: NatsConnection; readonly log: JetStreamRunLog } | undefined;

  protected constructor(
    readonly server: Nats,
    readonly postgres?: SpecPostgres,
    private readonly options: SpecServersOptions = {},
  ) {
    this.#name = options.name ?? 'spec';
  }

  /** Again after a server was killed: through a new connection, as the old one may not know yet that it is back. */
  async setUp(): Promise<this> {
    const { size = { maxLogBytes: 256 * 1024 ** 2, maxBlobBytes: 64 * 1024 ** 2 }, log } = this.options;
    await this.#opened?.nats.close();
    const nats = await connectNats({ url: this.natsUrl('admin'), name: this.#name });
    this.#opened = { nats, log: new JetStreamRunLog(nats, new JetStreamBlobStore(nats), log) };
    await setUpTopology(nats, size);
    return this;
  }

  async stop(): Promise<void> {
    await this.#opened?.nats.close();
    await Promise.all([this.server.stop(), this.postgres?.stop()]);
  }

  /** Of the user that may do everything. */
  get nats(): NatsConnection {
    return this.#open.nats;
  }

  get log(): JetStreamRunLog {
    return this.#open.log;
  }

  get #open() {
    if (this.#opened === undefined) throw new Error('set up first');
    return this.#opened;
  }

  natsUrl(user: NatsUserName, { url }: Pick<TestServer, 'url'> = this.server): string {
    return url.replaceAll('nats://', `nats://${user}:${PASSWORD}@`);
  }

  /** What the service is told of the servers, and of whom it may believe. */
  envOf(service: ServiceName): Record<string, string> {
    return {
      NATS_URL: this.natsUrl(service),
      ...(this.postgres ? { DATABASE_URL: this.postgres.urlFor(service) } : {}),
      ...{ AUTH_JWT_SECRET: SECRET, AUTH_ISSUER: this.#name, AUTH_AUDIENCE: AUDIENCE },
      STREAM_TICKET_SECRET: TICKET_SECRET,
    };
  }

  /** Ada's, unless the claims say otherwise. */
  token(claims: JWTPayload = {}, expires: number | string = '1h'): Promise<string> {
    return new SignJWT({ tenant_id: this.ada, scope: 'runs:read runs:write', sub: 'ada', ...claims })
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer(this.#name)
      .setAudience(AUDIENCE)
      .setExpirationTime(expires)
      .sign(new TextEncoder().encode(SECRET));
  }

  /** How many messages the log holds, of all tenants. */
  async stored(): Promise<number> {
    const answer = await this.nats.request(`$JS.API.STREAM.INFO.${STREAMS.runs}`);
    return answer.json<{ state: { messages: number } }>().state.messages;
  }
}
