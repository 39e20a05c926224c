import { JetStreamBlobStore, JetStreamEventFeed, type NatsConnection } from '@millrace/adapter-jetstream';
import { Database, ExclusiveLock, openDatabase, ProjectionStore } from '@millrace/adapter-postgres';
import { HealthController, NATS, NatsModule, Readiness } from '@millrace/nest-kit';
import { type DynamicModule, Module, type OnApplicationShutdown } from '@nestjs/common';
import type { Config } from './config.js';
import { ProjectionRunner } from './projection-runner.js';
import { ProjectorReadiness } from './projector-readiness.js';
import { readModels } from './read-models.projection.js';

const NAME = 'projector';

@Module({})
export class ProjectorModule implements OnApplicationShutdown {
  constructor(private readonly database: Database) {}

  static forRoot({ natsUrl, databaseUrl }: Config): DynamicModule {
    const database = { url: databaseUrl, applicationName: NAME };
    return {
      module: ProjectorModule,
      imports: [NatsModule.forRoot(natsUrl, NAME)],
      controllers: [HealthController],
      providers: [
        { provide: Readiness, useClass: ProjectorReadiness },
        { provide: Database, useFactory: () => openDatabase(database) },
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
    await this.database.close();
  }
}
