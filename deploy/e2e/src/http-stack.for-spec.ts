import {
  connectNats,
  NATS_USERS,
  type NatsConnection,
  natsUsers,
  type NatsUserName,
  setUpTopology,
  STREAMS,
} from '@millrace/adapter-jetstream';
import { appDatabaseUrl, migrate, readerDatabaseUrl } from '@millrace/adapter-postgres';
import { type ListeningProcess, spawnListening } from '@millrace/local-servers';
import { startTestNats, startTestPostgres, type TestNats, type TestPostgres } from '@millrace/testing/servers';
import { SignJWT } from 'jose';
import { join } from 'node:path';
import { ulid } from 'ulid';

type Service = 'run-api' | 'stream-gateway' | 'projector' | 'orchestrator' | 'node-workers';

const PASSWORDS = Object.fromEntries(NATS_USERS.map((name) => [name, 'secret'])) as Record<NatsUserName, string>;
const SERVICES = join(import.meta.dirname, '..', '..', '..', 'services');
export const SECRET = 'a secret that is known to the specs only';
const OPEN_WIDE = '10000000';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Record<string, unknown>;
}

/** Everything a person has who types `npm start`, asked from outside as a client would, with `fetch` alone. */
export class HttpStack {
  readonly tenantId = ulid();
  readonly running = new Map<Service, ListeningProcess>();

  private constructor(
    readonly server: TestNats,
    readonly postgres: TestPostgres,
    private readonly ownerUrl: string,
  ) {}

  static async start(...services: Service[]): Promise<HttpStack> {
    const [server, postgres] = await Promise.all([
      startTestNats({ syncAlways: true, extraConfig: natsUsers(PASSWORDS) }),
      startTestPostgres(),
    ]);
    const ownerUrl = await postgres.createDatabase('millrace');
    await migrate({ ownerUrl, appPassword: 'secret', readerPassword: 'secret' });
    const stack = new HttpStack(server, postgres, ownerUrl);
    await stack.asAdmin((nats) => setUpTopology(nats, { maxLogBytes: 1024 ** 3, maxBlobBytes: 1024 ** 3 }));
    await Promise.all(services.map((service) => stack.spawn(service)));
    return stack;
  }

  async spawn(service: Service): Promise<void> {
    const databaseUrl = service === 'projector' ? appDatabaseUrl : readerDatabaseUrl;
    const process_ = await spawnListening({
      command: process.execPath,
      args: ['--enable-source-maps', join(SERVICES, service, 'dist', 'main.js')],
      env: {
        ...{ ...process.env, NODE_OPTIONS: '', PORT: '0', NATS_URL: this.urlFor(service) },
        ...{ DATABASE_URL: databaseUrl(this.ownerUrl, 'secret') },
        ...{ AUTH_JWT_SECRET: SECRET, AUTH_ISSUER: 'e2e', AUTH_AUDIENCE: 'millrace' },
        ...{ STREAM_TICKET_SECRET: `${SECRET}, for tickets`, STREAM_COOKIE_SECURE: 'false' },
        ...{ RATE_LIMIT_READS_PER_MINUTE: OPEN_WIDE, RATE_LIMIT_WRITES_PER_MINUTE: OPEN_WIDE },
        RATE_LIMIT_UNKNOWN_PER_MINUTE: OPEN_WIDE,
      },
    });
    this.running.set(service, process_);
  }

  /** All processes and the servers under them are killed, and started again. */
  async restartEverything(): Promise<void> {
    const services = [...this.running.keys()];
    const dying = [...this.running.values()].map(({ child }) => {
      child.kill('SIGKILL');
      return child.exited;
    });
    await Promise.all([...dying, this.server.kill('SIGKILL'), this.postgres.kill('SIGKILL')]);
    await Promise.all([this.server.restart(), this.postgres.restart()]);
    await Promise.all(services.map((service) => this.spawn(service)));
  }

  async stop(): Promise<void> {
    await Promise.all([...this.running.values()].map(({ child }) => child.stop('SIGTERM', 10_000)));
    await Promise.all([this.server.stop(), this.postgres.stop()]);
  }

  urlOf(service: Service): string {
    const url = this.running.get(service)?.url;
    if (url === undefined) throw new Error(`${service} does not run`);
    return url;
  }

  token(tenantId = this.tenantId, scope = 'runs:read runs:write'): Promise<string> {
    return new SignJWT({ tenant_id: tenantId, scope, sub: 'ada' })
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer('e2e')
      .setAudience('millrace')
      .setExpirationTime('1h')
      .sign(new TextEncoder().encode(SECRET));
  }

  async ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const response = await fetch(`${this.urlOf('run-api')}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${await this.token()}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: parsed(text) };
  }

  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer> {
    return this.ask('POST', path, body, headers);
  }

  get(path: string): Promise<Answer> {
    return this.ask('GET', path);
  }

  /** The frames of a stream, to its end, as `event` and `data`. */
  async frames(path: string, headers: Record<string, string> = {}): Promise<{ event: string; data: unknown }[]> {
    const response = await fetch(`${this.urlOf('stream-gateway')}${path}`, { headers });
    if (response.status !== 200) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return (await response.text()).split('\n\n').flatMap((block) => {
      const data = /^data: ?(.*)$/m.exec(block)?.[1];
      const event = /^event: ?(.*)$/m.exec(block)?.[1] ?? 'message';
      return data === undefined ? [] : [{ event, data: JSON.parse(data) as unknown }];
    });
  }

  /** Asks until it is so. */
  async until(path: string, isSo: (body: Record<string, unknown>) => boolean): Promise<Record<string, unknown>> {
    for (;;) {
      const { status, body } = await this.get(path);
      if (status === 200 && isSo(body)) return body;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** How many messages the log holds. */
  stored(): Promise<number> {
    return this.asAdmin(async (nats) => {
      const answer = await nats.request(`$JS.API.STREAM.INFO.${STREAMS.runs}`);
      return answer.json<{ state: { messages: number } }>().state.messages;
    });
  }

  /** What a service complained about. */
  complaints(service: Service): string[] {
    return (this.running.get(service)?.lines ?? []).filter((line) => !line.includes('"level":"info"'));
  }

  private async asAdmin<T>(work: (nats: NatsConnection) => Promise<T>): Promise<T> {
    const nats = await connectNats({ url: this.urlFor('admin'), name: 'e2e' });
    try {
      return await work(nats);
    } finally {
      await nats.close();
    }
  }

  private urlFor(user: NatsUserName): string {
    return this.server.url.replace('nats://', `nats://${user}:secret@`);
  }
}

const parsed = (text: string): Record<string, unknown> => {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {}; // no JSON: a spec that expects some sees that nothing is there
  }
};
