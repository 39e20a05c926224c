import {
  connectNats,
  JetStreamAgentCatalogue,
  JetStreamBlobStore,
  JetStreamRunLog,
  NATS_USERS,
  type NatsConnection,
  natsUsers,
  type NatsUserName,
  setUpTopology,
  STREAMS,
  SystemClock,
  UlidEventIds,
} from '@millrace/adapter-jetstream';
import { RunCommandHandler } from '@millrace/application';
import { AgentAnnouncement, RunId, type RunRef, TenantId } from '@millrace/contracts';
import { startService } from '@millrace/nest-kit';
import {
  appDatabaseUrl,
  type Database,
  migrate,
  openDatabase,
  readerDatabaseUrl,
  ProjectionStore,
  ReadModelTables,
} from '@millrace/adapter-postgres';
import { foldRunRows } from '@millrace/run-views';
import { failRun, requestInput, scheduleNodes, startNode, startRun } from '@millrace/testing';
import { startTestNats, startTestPostgres, type TestNats, type TestPostgres } from '@millrace/testing/servers';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { SignJWT } from 'jose';
import { loadConfig } from './config.js';
import { runApi } from './run-api.service.js';

export const SECRET = 'a secret that is known to the specs only';
export const TICKET_SECRET = 'another secret, for stream tickets alone';
const passwords = Object.fromEntries(NATS_USERS.map((name) => [name, `${name}-secret`])) as Record<
  NatsUserName,
  string
>;

export interface Ask {
  readonly token?: string | undefined;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Record<string, unknown>;
}

/** Specs ask as fast as they can. */
const UNHINDERED = Object.fromEntries(
  ['READS', 'WRITES', 'UNKNOWN'].map((policy) => [`RATE_LIMIT_${policy}_PER_MINUTE`, '1000000']),
);

/** What a worker would have announced; these take anything. */
const AGENTS = ['echo', 'treadmill', 'improver', 'critic'];

export const announcementOf = (id: string, about: object = {}): AgentAnnouncement =>
  AgentAnnouncement.parse({
    ...{ format: '1', id, version: '1', policies: [], speakers: [id], conversational: false, tools: [] },
    ...{ graph: { nodes: [], edges: [] }, announcedBy: '01JD0000000000000000000009', ...about },
  });

/** The service as it is, on a nats-server that holds its user to what it may do. Other services' part is played. */
export class ApiWorld {
  readonly ids = new UlidEventIds();
  readonly ada = TenantId.parse(this.ids.next());
  readonly bob = TenantId.parse(this.ids.next());
  readonly log: JetStreamRunLog;
  readonly catalogue: JetStreamAgentCatalogue;
  readonly others: RunCommandHandler;

  private constructor(
    readonly server: TestNats,
    readonly postgres: TestPostgres,
    private readonly rows: Database,
    readonly nats: NatsConnection,
    readonly app: NestFastifyApplication,
    private readonly env: Record<string, string>,
  ) {
    this.log = new JetStreamRunLog(nats, new JetStreamBlobStore(nats));
    this.catalogue = new JetStreamAgentCatalogue(nats);
    this.others = new RunCommandHandler({ log: this.log, ids: this.ids, clock: new SystemClock() });
  }

  static async start(settings: Record<string, string> = {}): Promise<ApiWorld> {
    const [server, postgres] = await Promise.all([
      startTestNats({ extraConfig: natsUsers(passwords) }),
      startTestPostgres(),
    ]);
    const ownerUrl = await postgres.createDatabase('api');
    await migrate({ ownerUrl, appPassword: 'secret', readerPassword: 'secret' });
    const nats = await connectNats({ url: urlFor(server, 'admin'), name: 'spec' });
    await setUpTopology(nats, { maxLogBytes: 1024 ** 2 * 256, maxBlobBytes: 1024 ** 2 * 64 });
    const env = {
      ...{ NATS_URL: urlFor(server, 'run-api'), DATABASE_URL: readerDatabaseUrl(ownerUrl, 'secret') },
      ...{ AUTH_JWT_SECRET: SECRET, AUTH_ISSUER: 'spec', AUTH_AUDIENCE: 'millrace' },
      STREAM_TICKET_SECRET: TICKET_SECRET,
      ...UNHINDERED,
      ...settings,
    };
    const catalogue = new JetStreamAgentCatalogue(nats);
    for (const id of AGENTS) await catalogue.announce(announcementOf(id));
    const app = await startApp(env);
    const rows = await openDatabase({ url: appDatabaseUrl(ownerUrl, 'secret'), applicationName: 'spec' });
    return new ApiWorld(server, postgres, rows, nats, app, env);
  }

  /** Asks an instance beside this one that is configured otherwise. */
  async askBeside(settings: Record<string, string>, ...asked: Parameters<ApiWorld['ask']>): Promise<Answer> {
    const app = await startApp({ ...this.env, ...settings });
    try {
      return await this.askOf(app, ...asked);
    } finally {
      await app.close();
    }
  }

  async stop(): Promise<void> {
    await this.app.close();
    await this.nats.close();
    await this.rows.close();
    await this.server.stop();
    await this.postgres.stop();
  }

  ask(method: 'GET' | 'POST', url: string, ask: Ask = {}): Promise<Answer> {
    return this.askOf(this.app, method, url, ask);
  }

  private async askOf(
    app: NestFastifyApplication,
    method: 'GET' | 'POST',
    url: string,
    ask: Ask = {},
  ): Promise<Answer> {
    const token = 'token' in ask ? ask.token : await this.token();
    const response = await app.inject({
      method,
      url,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(ask.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...ask.headers,
      },
      ...(ask.body === undefined
        ? {}
        : { payload: typeof ask.body === 'string' ? ask.body : JSON.stringify(ask.body) }),
    });
    const { statusCode: status, headers } = response;
    return { status, headers, body: response.json<Record<string, unknown>>() };
  }

  post(url: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.ask('POST', url, { body, headers });
  }

  get(url: string): Promise<Answer> {
    return this.ask('GET', url);
  }

  token(claims: Record<string, unknown> = {}): Promise<string> {
    return new SignJWT({ tenant_id: this.ada, scope: 'runs:read runs:write', sub: 'ada', ...claims })
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer('spec')
      .setAudience('millrace')
      .setExpirationTime('1h')
      .sign(new TextEncoder().encode(SECRET));
  }

  async create(body: object = { appId: 'demo', policy: 'default', input: { text: 'hello' } }): Promise<RunRef> {
    const { body: made } = await this.ask('POST', '/agents/runs', { body });
    return { tenantId: this.ada, runId: RunId.parse(made['runId']) };
  }

  /** Of which a worker has begun the first node. */
  async running(): Promise<RunRef> {
    const ref = await this.create();
    for (const command of [startRun(ref), scheduleNodes(ref), startNode(ref)]) await this.others.handle(command);
    return ref;
  }

  async asking(request = requestInput().request): Promise<RunRef> {
    const ref = await this.running();
    await this.others.handle(requestInput({ ...ref, request }));
    return ref;
  }

  async failed(): Promise<RunRef> {
    const ref = await this.running();
    await this.others.handle(failRun(ref));
    return ref;
  }

  async kinds(ref: RunRef): Promise<string[]> {
    return (await this.log.read(ref)).events.map(({ kind }) => kind);
  }

  /** What a projector makes of the run as it is now. */
  async project(...refs: RunRef[]): Promise<void> {
    const folded = await Promise.all(refs.map(async (ref) => foldRunRows((await this.log.read(ref)).events)));
    const store = new ProjectionStore(this.rows);
    const at = await store.load('spec');
    await store.commit('spec', at, at + 1, (em) => new ReadModelTables(em).write(folded));
  }

  /** How many messages the log holds, of all tenants. */
  async stored(): Promise<number> {
    const answer = await this.nats.request(`$JS.API.STREAM.INFO.${STREAMS.runs}`);
    return answer.json<{ state: { messages: number } }>().state.messages;
  }
}

const startApp = async (env: Record<string, string>): Promise<NestFastifyApplication> => {
  const app = await startService(runApi, loadConfig(env), false);
  await app.init();
  await app.getHttpAdapter().getInstance().ready();
  return app;
};

const urlFor = ({ url }: TestNats, user: NatsUserName): string =>
  url.replace('nats://', `nats://${user}:${passwords[user]}@`);
