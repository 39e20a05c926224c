import { type AgentCatalogue, KnownAgents, type Platform } from '@millrace/ports';
import { type DynamicModule, Inject, Logger, Module, type OnApplicationShutdown } from '@nestjs/common';
import { PLATFORM } from './nats.module.js';

const STOP = Symbol('end of the watch over the catalogue');

/**
 * The agents that workers have announced, for services that load none: read before the service starts, and kept up to date
 * while it runs. A service that cannot read them at first does not start, as one that finds no streams does not.
 */
@Module({})
export class KnownAgentsModule implements OnApplicationShutdown {
  constructor(@Inject(STOP) private readonly stop: AbortController) {}

  static forRoot(): DynamicModule {
    return {
      module: KnownAgentsModule,
      providers: [
        { provide: STOP, useFactory: () => new AbortController() },
        {
          provide: KnownAgents,
          inject: [PLATFORM, STOP],
          useFactory: ({ catalogue }: Platform, stop: AbortController) => watch(catalogue, stop.signal),
        },
      ],
      exports: [KnownAgents],
    };
  }

  onApplicationShutdown(): void {
    this.stop.abort();
  }
}

const watch = (catalogue: AgentCatalogue, signal: AbortSignal): Promise<KnownAgents> => {
  const log = new Logger('Agents');
  return catalogue.watch(signal, {
    unreadable: (what, error) =>
      log.warn(`${what} in the catalogue cannot be read and is passed over: ${String(error)}`),
  });
};
