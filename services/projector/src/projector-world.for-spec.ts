import { type Database, openDatabase, ProjectionStore, RunReader } from '@millrace/adapter-postgres';
import type { RunRef } from '@millrace/contracts';
import { EMPTY_TAIL } from '@millrace/ports';
import type { RunRows } from '@millrace/run-views';
import { playRun } from '@millrace/testing';
import { startTestNats } from '@millrace/testing/servers';
import { NATS_WITH_USERS, type SpecPostgres, SpecServers, startSpecPostgres } from '@millrace/testing/services';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { loadConfig } from './config.js';
import { ProjectorModule } from './projector.module.js';
import { readModels } from './read-models.projection.js';

/** Real servers, with the users and roles services have, and projectors in this process. */
export class ProjectorWorld extends SpecServers {
  declare readonly postgres: SpecPostgres;
  database!: Database;
  readonly #apps = new Set<NestFastifyApplication>();

  static async start(): Promise<ProjectorWorld> {
    const servers = await Promise.all([startTestNats(NATS_WITH_USERS), startSpecPostgres('projector')]);
    const world = await new ProjectorWorld(...servers).setUp();
    world.database = await openDatabase({ url: world.databaseUrl, applicationName: 'spec' });
    return world;
  }

  override async stop(): Promise<void> {
    await this.stopProjectors();
    await this.database.close();
    await super.stop();
  }

  get databaseUrl(): string {
    return this.postgres.urlFor('projector');
  }

  async startProjector(databaseUrl = this.databaseUrl): Promise<NestFastifyApplication> {
    const config = loadConfig({ ...this.envOf('projector'), DATABASE_URL: databaseUrl });
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
    const { log, ids } = this;
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
