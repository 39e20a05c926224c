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
import {
  appDatabaseUrl,
  type Database,
  migrate,
  openDatabase,
  ProjectionStore,
  RunReader,
} from '@millrace/adapter-postgres';
import type { RunRef } from '@millrace/contracts';
import { EMPTY_TAIL } from '@millrace/ports';
import type { RunRows } from '@millrace/run-views';
import { playRun } from '@millrace/testing';
import { startTestNats, startTestPostgres, type TestNats, type TestPostgres } from '@millrace/testing/servers';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { loadConfig } from './config.js';
import { ProjectorModule } from './projector.module.js';
import { readModels } from './read-models.projection.js';

const PASSWORDS = Object.fromEntries(NATS_USERS.map((name) => [name, 'secret'])) as Record<NatsUserName, string>;

/** Real servers, with the users and roles services have, and projectors in this process. */
export class ProjectorWorld {
  readonly #apps = new Set<NestFastifyApplication>();
  #admin: NatsConnection | undefined;
  #database: Database | undefined;

  private constructor(
    readonly nats: TestNats,
    readonly postgres: TestPostgres,
    readonly ownerUrl: string,
  ) {}

  static async start(): Promise<ProjectorWorld> {
    const [nats, postgres] = await Promise.all([
      startTestNats({ extraConfig: natsUsers(PASSWORDS) }),
      startTestPostgres(),
    ]);
    const ownerUrl = await postgres.createDatabase('projector');
    await migrate({ ownerUrl, appPassword: 'secret', readerPassword: 'secret' });
    const world = new ProjectorWorld(nats, postgres, ownerUrl);
    await world.setUp();
    world.#database = await openDatabase({ url: world.databaseUrl, applicationName: 'spec' });
    return world;
  }

  async stop(): Promise<void> {
    await this.stopProjectors();
    await this.#database?.close();
    await this.#admin?.close();
    await Promise.all([this.nats.stop(), this.postgres.stop()]);
  }

  get databaseUrl(): string {
    return appDatabaseUrl(this.ownerUrl, 'secret');
  }
  get admin(): NatsConnection {
    if (this.#admin === undefined) throw new Error('set up first');
    return this.#admin;
  }
  get database(): Database {
    if (this.#database === undefined) throw new Error('start first');
    return this.#database;
  }
  get log(): JetStreamRunLog {
    return new JetStreamRunLog(this.admin, new JetStreamBlobStore(this.admin));
  }

  /** As the broker knows it: the projector's own user may do no more than it needs. */
  natsUrl(user: NatsUserName): string {
    return this.nats.url.replace('nats://', `nats://${user}:secret@`);
  }

  /** Through a new connection: the old one may not know yet that the server is back. */
  async setUp(): Promise<void> {
    await this.#admin?.close();
    this.#admin = await connectNats({ url: this.natsUrl('admin'), name: 'spec' });
    await setUpTopology(this.#admin, { maxLogBytes: 100_000_000, maxBlobBytes: 100_000_000 });
  }

  async startProjector(databaseUrl = this.databaseUrl): Promise<NestFastifyApplication> {
    const config = loadConfig({ NATS_URL: this.natsUrl('projector'), DATABASE_URL: databaseUrl });
    const module = ProjectorModule.forRoot(config);
    const quiet = { logger: false, abortOnError: false } as const;
    const app = await NestFactory.create<NestFastifyApplication>(module, new FastifyAdapter(), quiet);
    await app.init();
    await app.getHttpAdapter().getInstance().ready();
    this.#apps.add(app);
    return app;
  }

  async stopProjector(app: NestFastifyApplication): Promise<void> {
    this.#apps.delete(app);
    await app.close();
  }

  async stopProjectors(): Promise<void> {
    for (const app of this.#apps) await this.stopProjector(app);
  }

  /** A whole history, by dice that fall the same on every machine; resolves with where it ends in the stream. */
  async appendRun(run: RunRef, seed: number): Promise<number> {
    const { log } = this;
    const ids = new UlidEventIds();
    let tail = EMPTY_TAIL;
    for (const fact of playRun(rolled(seed)).flatMap(({ facts }) => facts)) {
      ({ tail } = await log.append(run, { ...fact, eventId: ids.next(), ts: '2026-01-12T10:00:00.000Z' }, tail));
    }
    return tail.streamSequence;
  }

  projected(): Promise<number> {
    return new ProjectionStore(this.database).load(readModels.name);
  }

  /** All that the tables say of one run. */
  rowsOf({ tenantId, runId }: RunRef): Promise<RunRows> {
    return new RunReader(this.database).rows(tenantId, runId);
  }
}

const rolled = (seed: number): number[] =>
  Array.from({ length: 120 }, (_, index) => Math.imul(seed * 7_919 + index * 104_729 + 1, 2_654_435_761) >>> 0);

export interface Health {
  readonly statusCode: number;
  readonly role: string;
  readonly position: number;
  readonly behind: number;
  readonly lagMs: number;
  readonly poisoned: number;
}

export const health = async (app: NestFastifyApplication): Promise<Health> => {
  const { statusCode, body } = await app.inject({ method: 'GET', url: '/health/ready' });
  return { statusCode, ...(JSON.parse(body) as Omit<Health, 'statusCode'>) };
};

export async function eventually(claim: () => Promise<void>): Promise<void> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    try {
      return await claim();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
