import {
  JetStreamBlobStore,
  JetStreamRunLog,
  JetStreamTicketLedger,
  type NatsConnection,
} from '@millrace/adapter-jetstream';
import { HealthController, NATS, NatsModule, Readiness } from '@millrace/nest-kit';
import { HttpEdgeModule, StreamTickets, TokenVerifier } from '@millrace/nest-kit/http';
import { RunLog, TicketLedger } from '@millrace/ports';
import { type DynamicModule, Module } from '@nestjs/common';
import { StreamAccess } from './access/stream-access.js';
import { StreamSessions } from './access/stream-sessions.js';
import type { Config } from './config.js';
import { REPLAY, replayConnection, ReplayConnectionEnd } from './replay-connection.js';
import { RunStreamController } from './routes/run-stream.controller.js';
import { StreamGatewayReadiness } from './stream-gateway-readiness.js';
import { Connections } from './streams/connections.js';
import { ConnectionsEnd } from './streams/connections-end.js';
import { RunChannels } from './streams/run-channels.js';
import { RunPages } from './streams/run-pages.js';
import { RunStreams, type RunStreamParts } from './streams/run-streams.js';

@Module({})
export class StreamGatewayModule {
  static forRoot(config: Config): DynamicModule {
    const { retryMs } = config;
    return {
      module: StreamGatewayModule,
      imports: [NatsModule.forRoot(config.natsUrl, 'stream-gateway'), HttpEdgeModule.forRoot(config)],
      controllers: [HealthController, RunStreamController],
      providers: [
        { provide: Readiness, useClass: StreamGatewayReadiness },
        replayConnection(config.natsUrl),
        ReplayConnectionEnd,
        {
          provide: RunLog,
          inject: [NATS, REPLAY],
          useFactory: (nats: NatsConnection, replay: NatsConnection) =>
            new JetStreamRunLog(nats, new JetStreamBlobStore(replay), { replay }),
        },
        {
          provide: TicketLedger,
          inject: [NATS],
          useFactory: (nats: NatsConnection) => new JetStreamTicketLedger(nats),
        },
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
          provide: RunStreams,
          inject: [StreamAccess, RunChannels, RunPages, Connections],
          useFactory: (...[access, channels, pages, connections]: StreamParts) =>
            new RunStreams({ access, channels, pages, connections, retryMs }),
        },
      ],
    };
  }
}

type StreamParts = [
  RunStreamParts['access'],
  RunStreamParts['channels'],
  RunStreamParts['pages'],
  RunStreamParts['connections'],
];
