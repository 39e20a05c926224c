import { Database, openDatabase, RunReader } from '@millrace/adapter-postgres';
import { type DynamicModule, Module, type OnApplicationShutdown } from '@nestjs/common';
import { ReadModelHealth } from './read-model-health.js';

/** A database that hangs must not hold up an answer the log can give. */
const ANSWER_WITHIN_MS = 5_000;

/** The rows of the projector, read as a role that sees one tenant at a time. They may be away. */
@Module({})
export class ReadModelsModule implements OnApplicationShutdown {
  constructor(private readonly database: Database) {}

  static forRoot(url: string): DynamicModule {
    const options = { url, applicationName: 'run-api', answerWithinMs: ANSWER_WITHIN_MS };
    return {
      module: ReadModelsModule,
      providers: [
        { provide: Database, useFactory: () => openDatabase(options) },
        { provide: RunReader, inject: [Database], useFactory: (database: Database) => new RunReader(database) },
        {
          provide: ReadModelHealth,
          inject: [Database],
          useFactory: (database: Database) => new ReadModelHealth(database),
        },
      ],
      exports: [RunReader, ReadModelHealth],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.database.close();
  }
}
