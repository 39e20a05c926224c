import { Database, ExclusiveLock, openDatabase, ProjectionStore, requireWall } from '@millrace/adapter-postgres';
import { SetAsides } from '@millrace/application';
import { HealthController, NatsModule, PLATFORM, platformPart, Readiness, SetAsideLog } from '@millrace/nest-kit';
import { EventFeed, type Platform } from '@millrace/ports';
import { type DynamicModule, Module, type OnApplicationShutdown } from '@nestjs/common';
import { Backlog } from './backlog.js';
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
        platformPart(EventFeed, ({ feed }) => feed),
        { provide: ProjectionStore, inject: [Database], useFactory: (opened: Database) => new ProjectionStore(opened) },
        {
          provide: ProjectionRunner,
          inject: [EventFeed, ProjectionStore, Database, PLATFORM],
          useFactory: (feed: EventFeed, store: ProjectionStore, opened: Database, { deadLetters }: Platform) => {
            const tryLock = async () => {
              await requireWall(opened);
              return ExclusiveLock.tryAcquire(database, `projection:${readModels.name}`);
            };
            const setAsides = new SetAsides(deadLetters, new SetAsideLog(ProjectionRunner.name));
            return new ProjectionRunner(readModels, feed, store, tryLock, setAsides);
          },
        },
        {
          provide: Backlog,
          inject: [EventFeed, ProjectionStore],
          useFactory: (feed: EventFeed, store: ProjectionStore) => new Backlog(readModels, feed, store),
        },
      ],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.database.close();
  }
}
