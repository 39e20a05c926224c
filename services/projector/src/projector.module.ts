import {
  connectNats,
  JetStreamBlobStore,
  JetStreamEventFeed,
  type NatsConnection,
  verifyTopology,
} from '@millrace/adapter-jetstream';
import { Database, ExclusiveLock, openDatabase, ProjectionStore } from '@millrace/adapter-postgres';
import { type DynamicModule, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import type { Config } from './config.js';
import { HealthController } from './health.controller.js';
import { NatsHealth } from './nats-health.js';
import { ProjectionRunner } from './projection-runner.js';
import { readModels } from './read-models.projection.js';

const NATS = Symbol('NatsConnection');
const NAME = 'projector';

@Module({})
export class ProjectorModule implements OnApplicationShutdown {
  constructor(
    @Inject(NATS) private readonly nats: NatsConnection,
    private readonly database: Database,
  ) {}

  static forRoot({ natsUrl, databaseUrl }: Config): DynamicModule {
    const database = { url: databaseUrl, applicationName: NAME };
    return {
      module: ProjectorModule,
      controllers: [HealthController],
      providers: [
        { provide: NATS, useFactory: () => openNats(natsUrl) },
        { provide: Database, useFactory: () => openDatabase(database) },
        { provide: NatsHealth, inject: [NATS], useFactory: (nats: NatsConnection) => new NatsHealth(nats) },
        {
          provide: ProjectionRunner,
          inject: [NATS, Database],
          useFactory: (nats: NatsConnection, opened: Database) =>
            new ProjectionRunner(
              readModels,
              new JetStreamEventFeed(nats, new JetStreamBlobStore(nats)),
              new ProjectionStore(opened),
              () => ExclusiveLock.tryAcquire(database, `projection:${readModels.name}`),
            ),
        },
      ],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.nats.close();
    await this.database.close();
  }
}

async function openNats(url: string): Promise<NatsConnection> {
  const nats = await connectNats({ url, name: NAME, waitForServerMs: 30_000 });
  try {
    await verifyTopology(nats);
    return nats;
  } catch (error) {
    await nats.close();
    throw error;
  }
}
