import {
  connectNats,
  JetStreamBlobStore,
  JetStreamRunLog,
  NATS_USERS,
  type NatsConnection,
  natsUsers,
  type NatsUserName,
  setUpTopology,
  UlidEventIds,
} from '@millrace/adapter-jetstream';
import { FACT_FIXTURES, RunId, type RunEvent, type RunFact, type RunRef, TenantId } from '@millrace/contracts';
import { startService } from '@millrace/nest-kit';
import { StreamTickets } from '@millrace/nest-kit/http';
import { EMPTY_TAIL } from '@millrace/ports';
import { startTestNats, type TestNats } from '@millrace/testing/servers';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { SignJWT } from 'jose';
import { loadConfig } from './config.js';
import { type Message, SseClient } from './sse-client.for-spec.js';
import { streamGateway } from './stream-gateway.service.js';

export const SECRET = 'a secret that is known to the specs only';
export const TICKET_SECRET = 'another one, for tickets and sessions alone';
const passwords = Object.fromEntries(NATS_USERS.map((name) => [name, `${name}-secret`])) as Record<
  NatsUserName,
  string
>;

export interface Gateway {
  readonly url: string;
  readonly app: NestFastifyApplication;
}

/** Gateways as they are, on a nats-server that holds their user to what it may do; and somebody who writes the log. */
export class GatewayWorld {
  readonly ids = new UlidEventIds();
  readonly ada = TenantId.parse(this.ids.next());
  readonly bob = TenantId.parse(this.ids.next());
  readonly log: JetStreamRunLog;
  readonly tickets = new StreamTickets({ secret: TICKET_SECRET, ttlSeconds: 60 });
  readonly #gateways: Gateway[] = [];
  readonly #clients: SseClient[] = [];

  private constructor(
    readonly server: TestNats,
    readonly nats: NatsConnection,
  ) {
    this.log = new JetStreamRunLog(nats, new JetStreamBlobStore(nats));
  }

  static async start(): Promise<GatewayWorld> {
    const server = await startTestNats({ extraConfig: natsUsers(passwords) });
    const nats = await connectNats({ url: urlFor(server, 'admin'), name: 'spec' });
    await setUpTopology(nats, { maxLogBytes: 1024 ** 2 * 256, maxBlobBytes: 1024 ** 2 * 64 });
    return new GatewayWorld(server, nats);
  }

  async gateway(env: Record<string, string> = {}): Promise<Gateway> {
    const config = loadConfig({
      NATS_URL: urlFor(this.server, 'stream-gateway'),
      ...{ AUTH_JWT_SECRET: SECRET, AUTH_ISSUER: 'spec', AUTH_AUDIENCE: 'millrace' },
      STREAM_TICKET_SECRET: TICKET_SECRET,
      ...env,
    });
    const app = await startService(streamGateway, config, false);
    await app.listen(0, '127.0.0.1');
    const gateway = { app, url: (await app.getUrl()).replace('[::1]', '127.0.0.1') };
    this.#gateways.push(gateway);
    return gateway;
  }

  async stop(): Promise<void> {
    for (const client of this.#clients) client.close();
    for (const { app } of this.#gateways) await app.close();
    await this.nats.close();
    await this.server.stop();
  }

  /** A run nobody has said anything in but that it is wanted. */
  async run(tenantId = this.ada, requested: RunFact = FACT_FIXTURES.RunRequested): Promise<RunRef> {
    const run = { tenantId, runId: RunId.parse(this.ids.next()) };
    await this.say(run, requested);
    return run;
  }

  /** Appends them one after the other, whatever the rules say. */
  async say(run: RunRef, ...facts: RunFact[]): Promise<RunEvent[]> {
    let tail = await this.log.tail(run).catch(() => EMPTY_TAIL);
    const events: RunEvent[] = [];
    for (const fact of facts) {
      const draft = { ...fact, eventId: this.ids.next(), ts: new Date().toISOString() };
      const appended = await this.log.append(run, draft, tail);
      tail = appended.tail;
      events.push(appended.event);
    }
    return events;
  }

  token(claims: Record<string, unknown> = {}, expires: number | string = '1h'): Promise<string> {
    return new SignJWT({ tenant_id: this.ada, scope: 'runs:read', sub: 'ada', ...claims })
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer('spec')
      .setAudience('millrace')
      .setExpirationTime(expires)
      .sign(new TextEncoder().encode(SECRET));
  }

  /** As somebody of the tenant, unless the headers say otherwise. */
  async open({ url }: Gateway, path: string, headers: Record<string, string> = {}): Promise<SseClient> {
    const named = Object.keys(headers).some((name) => name === 'authorization' || name === 'cookie');
    const shown = named ? headers : { authorization: `Bearer ${await this.token()}`, ...headers };
    const client = await SseClient.open(`${url}${path}`, shown);
    this.#clients.push(client);
    return client;
  }
}

export const tokens = (...texts: string[]): RunFact[] => texts.map((text) => ({ ...FACT_FIXTURES.TokenDelta, text }));
export const paths = {
  native: ({ runId }: RunRef): string => `/agents/runs/${runId}/stream`,
  agent: ({ runId }: RunRef): string => `/api/agent/${runId}/events`,
  thread: ({ runId }: RunRef): string => `/api/runs/${runId}/events`,
};
export const idsOf = (messages: readonly Message[]): number[] =>
  messages.flatMap(({ id }) => (id === undefined ? [] : [Number(id)]));
export const eventsOf = (messages: readonly Message[]): RunEvent[] =>
  messages.map(({ data }) => JSON.parse(data) as RunEvent);

const urlFor = ({ url }: TestNats, user: NatsUserName): string =>
  url.replace('nats://', `nats://${user}:${passwords[user]}@`);
