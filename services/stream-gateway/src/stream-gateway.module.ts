import { HealthController, NatsModule, PLATFORM, platformPart, Readiness } from '@millrace/nest-kit';
import { HttpEdgeModule, StreamTickets, TokenVerifier } from '@millrace/nest-kit/http';
import { type Platform, RunLog, TenantFeed, TicketLedger } from '@millrace/ports';
import { type DynamicModule, Module } from '@nestjs/common';
import { StreamAccess } from './access/stream-access.js';
import { StreamSessions } from './access/stream-sessions.js';
import type { Config } from './config.js';
import { AgentsOfRuns } from './feed/agents-of-runs.js';
import { FeedStreams } from './feed/feed-streams.js';
import { FeedController } from './routes/feed.controller.js';
import { RunStreamController } from './routes/run-stream.controller.js';
import { StreamGatewayReadiness } from './stream-gateway-readiness.js';
import { Connections } from './streams/connections.js';
import { ConnectionsEnd } from './streams/connections-end.js';
import { RunChannels } from './streams/run-channels.js';
import { RunPages } from './streams/run-pages.js';
import { RunStreams } from './streams/run-streams.js';
import { StreamDesk } from './streams/stream-desk.js';
import { Unreadables } from './streams/unreadables.js';

@Module({})
export class StreamGatewayModule {
  static forRoot(config: Config): DynamicModule {
    return {
      module: StreamGatewayModule,
      imports: [
        NatsModule.forRoot(config.natsUrl, 'stream-gateway', { replaysApart: true, keepsTexts: true }),
        HttpEdgeModule.forRoot(config),
      ],
      controllers: [HealthController, RunStreamController, FeedController],
      providers: [
        { provide: Readiness, useClass: StreamGatewayReadiness },
        platformPart(RunLog, ({ runs }) => runs),
        platformPart(TicketLedger, ({ tickets }) => tickets),
        platformPart(TenantFeed, ({ tenantFeed }) => tenantFeed),
        { provide: Connections, useFactory: () => new Connections(config.connections) },
        ConnectionsEnd,
        { provide: RunChannels, inject: [RunLog], useFactory: (log: RunLog) => new RunChannels(log) },
        { provide: RunPages, inject: [RunLog], useFactory: (log: RunLog) => new RunPages(log, config.pages) },
        {
          provide: StreamAccess,
          inject: [TokenVerifier, TicketLedger],
          useFactory: (tokens: TokenVerifier, ledger: TicketLedger) =>
            new StreamAccess(tokens, new StreamTickets(config.tickets), new StreamSessions(config.sessions), ledger),
        },
        {
          provide: StreamDesk,
          inject: [Connections],
          useFactory: (connections: Connections) => new StreamDesk(connections, config.retryMs),
        },
        {
          provide: RunStreams,
          inject: [StreamAccess, RunChannels, RunPages, StreamDesk, Unreadables],
          useFactory: (...parts: ConstructorParameters<typeof RunStreams>) => new RunStreams(...parts),
        },
        {
          provide: Unreadables,
          inject: [PLATFORM],
          useFactory: ({ deadLetters }: Platform) => new Unreadables(deadLetters),
        },
        {
          provide: AgentsOfRuns,
          inject: [RunLog, Unreadables],
          useFactory: (log: RunLog, unreadables: Unreadables) => new AgentsOfRuns(log, unreadables),
        },
        {
          provide: FeedStreams,
          inject: [StreamAccess, TenantFeed, AgentsOfRuns, StreamDesk, Unreadables],
          useFactory: (...parts: ConstructorParameters<typeof FeedStreams>) => new FeedStreams(...parts),
        },
      ],
    };
  }
}
