import { RunReader } from '@millrace/adapter-postgres';
import {
  AgentChecks,
  AgentQueries,
  RunOrders,
  RunQueries,
  RunRetries,
  type SessionPorts,
  StoredRunQueries,
  ThreadOrders,
} from '@millrace/application';
import { RunId, ThreadId, type Whereabouts } from '@millrace/contracts';
import { HealthController, KnownAgentsModule, NatsModule, PLATFORM, platformPart, Readiness } from '@millrace/nest-kit';
import { HttpEdgeModule, StreamTickets } from '@millrace/nest-kit/http';
import { KnownAgents, type Platform, RunLog, ThreadLog } from '@millrace/ports';
import { type DynamicModule, Module } from '@nestjs/common';
import type { Config } from './config.js';
import { DocsController } from './documents/docs.controller.js';
import { OpenApiController } from './documents/open-api.controller.js';
import { WHEREABOUTS } from './documents/whereabouts.js';
import { ReadModelHealth } from './reads/read-model-health.js';
import { ReadModelsModule } from './reads/read-models.module.js';
import { RetryController } from './retry.controller.js';
import { AgentController } from './routes/agent.controller.js';
import { CatalogueController } from './routes/catalogue.controller.js';
import { NativeController } from './routes/native.controller.js';
import { RunListController } from './routes/run-list.controller.js';
import { StreamTicketController } from './routes/stream-ticket.controller.js';
import { ThreadController } from './routes/thread.controller.js';
import { ThreadRunController } from './routes/thread-run.controller.js';
import { RunApiReadiness } from './run-api-readiness.js';

@Module({})
export class RunApiModule {
  static forRoot(config: Config): DynamicModule {
    return {
      module: RunApiModule,
      imports: [
        NatsModule.forRoot(config.natsUrl, 'run-api'),
        KnownAgentsModule.forRoot(),
        HttpEdgeModule.forRoot(config),
        ReadModelsModule.forRoot(config.databaseUrl),
      ],
      controllers: [
        HealthController,
        OpenApiController,
        DocsController,
        CatalogueController,
        RunListController,
        NativeController,
        AgentController,
        ThreadController,
        ThreadRunController,
        StreamTicketController,
        RetryController,
      ],
      providers: [
        { provide: Readiness, useClass: RunApiReadiness },
        { provide: StreamTickets, useFactory: () => new StreamTickets(config.tickets) },
        { provide: WHEREABOUTS, useValue: { streamUrl: config.streamUrl } satisfies Whereabouts },
        platformPart(RunLog, ({ runs }) => runs),
        platformPart(ThreadLog, ({ threads }) => threads),
        {
          provide: RunQueries,
          inject: [RunLog, RunReader, ReadModelHealth],
          useFactory: (log: RunLog, rows: RunReader, health: ReadModelHealth) =>
            new StoredRunQueries(log, rows, { health }),
        },
        { provide: AgentChecks, inject: [KnownAgents], useFactory: (known: KnownAgents) => new AgentChecks(known) },
        { provide: AgentQueries, inject: [KnownAgents], useFactory: (known: KnownAgents) => new AgentQueries(known) },
        {
          provide: RunOrders,
          inject: [PLATFORM, AgentChecks],
          useFactory: (platform: Platform, agents: AgentChecks) => {
            const newRunId = () => RunId.parse(platform.ids.next());
            return new RunOrders(sessionOf(platform), newRunId, config.defaults, agents);
          },
        },
        {
          provide: RunRetries,
          inject: [PLATFORM, AgentChecks],
          useFactory: (platform: Platform, agents: AgentChecks) => {
            const newRunId = () => RunId.parse(platform.ids.next());
            return new RunRetries(sessionOf(platform), { improver: config.improver, newRunId, agents });
          },
        },
        {
          provide: ThreadOrders,
          inject: [PLATFORM, RunOrders, AgentChecks],
          useFactory: ({ threads, ids, clock }: Platform, orders: RunOrders, agents: AgentChecks) =>
            new ThreadOrders({ threads, orders, agents, ids, clock }, () => ThreadId.parse(ids.next())),
        },
      ],
    };
  }
}

const sessionOf = ({ runs: log, ids, clock }: Platform): SessionPorts => ({ log, ids, clock });
