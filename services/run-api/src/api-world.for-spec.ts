import { JetStreamAgentCatalogue, SystemClock } from '@millrace/adapter-jetstream';
import { type Database, openDatabase, ProjectionStore, ReadModelTables } from '@millrace/adapter-postgres';
import { RunCommandHandler } from '@millrace/application';
import { RunId, type RunRef } from '@millrace/contracts';
import { startService } from '@millrace/nest-kit';
import { foldRunRows } from '@millrace/run-views';
import { announcementOf, failRun, requestInput, scheduleNodes, startNode, startRun } from '@millrace/testing';
import { startTestNats } from '@millrace/testing/servers';
import { NATS_WITH_USERS, type SpecPostgres, SpecServers, startSpecPostgres } from '@millrace/testing/services';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { loadConfig } from './config.js';
import { runApi } from './run-api.service.js';

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

/** The service as it is, on a nats-server that holds its user to what it may do. Other services' part is played. */
export class ApiWorld extends SpecServers {
  declare readonly postgres: SpecPostgres;
  app!: NestFastifyApplication;
  #rows!: Database;
  #env: Record<string, string> = {};

  static async start(settings: Record<string, string> = {}): Promise<ApiWorld> {
    const servers = await Promise.all([startTestNats(NATS_WITH_USERS), startSpecPostgres('api')]);
    const world = await new ApiWorld(...servers).setUp();
    for (const id of AGENTS) await world.catalogue.announce(announcementOf(id));
    world.#env = { ...world.envOf('run-api'), ...UNHINDERED, ...settings };
    world.app = await startApp(world.#env);
    world.#rows = await openDatabase({ url: world.postgres.urlFor('projector'), applicationName: 'spec' });
    return world;
  }

  get catalogue(): JetStreamAgentCatalogue {
    return new JetStreamAgentCatalogue(this.nats);
  }

  get others(): RunCommandHandler {
    return new RunCommandHandler({ log: this.log, ids: this.ids, clock: new SystemClock() });
  }

  /** Asks an instance beside this one that is configured otherwise. */
  async askBeside(settings: Record<string, string>, ...asked: Parameters<ApiWorld['ask']>): Promise<Answer> {
    const app = await startApp({ ...this.#env, ...settings });
    try {
      return await this.askOf(app, ...asked);
    } finally {
      await app.close();
    }
  }

  override async stop(): Promise<void> {
    await this.app.close();
    await this.#rows.close();
    await super.stop();
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
    const store = new ProjectionStore(this.#rows);
    const at = await store.load('spec');
    await store.commit('spec', at, at + 1, (em) => new ReadModelTables(em).write(folded));
  }
}

const startApp = async (env: Record<string, string>): Promise<NestFastifyApplication> => {
  const app = await startService(runApi, loadConfig(env), false);
  await app.init();
  await app.getHttpAdapter().getInstance().ready();
  return app;
};
