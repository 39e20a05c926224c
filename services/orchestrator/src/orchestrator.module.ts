import {
  JetStreamBlobStore,
  JetStreamEventFeed,
  JetStreamLeases,
  JetStreamRunLog,
  JetStreamRunRequests,
  JetStreamSnapshots,
  JetStreamTaskQueue,
  JetStreamTimers,
  type NatsConnection,
  SystemClock,
  UlidEventIds,
} from '@millrace/adapter-jetstream';
import { LangGraphRuntime } from '@millrace/adapter-langgraph';
import { AgentRegistry, loadAgents } from '@millrace/agent-sdk';
import { agents } from '@millrace/agents';
import { Dispatcher, RunConductor, type SessionPorts } from '@millrace/application';
import { HealthController, NATS, NatsModule, OutageLog, Readiness } from '@millrace/nest-kit';
import { type DynamicModule, Logger, Module } from '@nestjs/common';
import { setTimeout as pause } from 'node:timers/promises';
import { ConductController } from './conduct.controller.js';
import type { Config } from './config.js';
import { DispatchLoop } from './dispatch-loop.js';
import { OrchestratorReadiness } from './orchestrator-readiness.js';

@Module({})
export class OrchestratorModule {
  static forRoot(config: Config): DynamicModule {
    return {
      module: OrchestratorModule,
      imports: [NatsModule.forRoot(config.natsUrl, 'orchestrator')],
      controllers: [HealthController, ConductController],
      providers: [
        { provide: Readiness, useClass: OrchestratorReadiness },
        {
          provide: AgentRegistry,
          useFactory: () => loadAgents(config.agentModules, undefined, new AgentRegistry(agents)),
        },
        {
          provide: RunConductor,
          inject: [NATS, AgentRegistry],
          useFactory: (nats: NatsConnection, registry: AgentRegistry) => conductorOn(nats, registry, config),
        },
        {
          provide: DispatchLoop,
          inject: [NATS, AgentRegistry],
          useFactory: (nats: NatsConnection, registry: AgentRegistry) =>
            new DispatchLoop(dispatcherOn(nats, registry, config)),
        },
      ],
    };
  }
}

function conductorOn(nats: NatsConnection, registry: AgentRegistry, { maxResident }: Config): RunConductor {
  const blobs = new JetStreamBlobStore(nats);
  return new RunConductor(
    {
      ...sessionPorts(nats, blobs),
      blobs,
      graphs: new LangGraphRuntime(registry),
      tasks: new JetStreamTaskQueue(nats, blobs),
      timers: new JetStreamTimers(nats),
    },
    { maxResident },
  );
}

function dispatcherOn(nats: NatsConnection, registry: AgentRegistry, { limits }: Config): Dispatcher {
  const blobs = new JetStreamBlobStore(nats);
  const log = new Logger(Dispatcher.name);
  const outages = new OutageLog(log);
  const ports = {
    ...sessionPorts(nats, blobs),
    agents: registry,
    feed: new JetStreamEventFeed(nats, blobs),
    requests: new JetStreamRunRequests(nats),
    leases: new JetStreamLeases(nats),
    snapshots: new JetStreamSnapshots(nats),
    pause: (ms: number, signal: AbortSignal) => pause(ms, undefined, { signal }).catch(() => {}), // who waits looks at it
  };
  return new Dispatcher(ports, limits, {
    leading: () => {
      outages.recovered();
      log.log('This instance dispatches runs');
    },
    interrupted: (cause) => outages.failed(cause),
  });
}

const sessionPorts = (nats: NatsConnection, blobs: JetStreamBlobStore): SessionPorts => ({
  log: new JetStreamRunLog(nats, blobs),
  ids: new UlidEventIds(),
  clock: new SystemClock(),
});
