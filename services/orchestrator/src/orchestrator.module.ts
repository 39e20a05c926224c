import { LangGraphRuntime } from '@millrace/adapter-langgraph';
import { AgentRegistry, loadAgents } from '@millrace/agent-sdk';
import { agents } from '@millrace/agents';
import { Dispatcher, reasonOf, RunConductor } from '@millrace/application';
import { HealthController, NatsModule, OutageLog, PLATFORM, Readiness } from '@millrace/nest-kit';
import type { RunRef } from '@millrace/contracts';
import type { Platform } from '@millrace/ports';
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
          inject: [PLATFORM, AgentRegistry],
          useFactory: (platform: Platform, registry: AgentRegistry) => conductorOn(platform, registry, config),
        },
        {
          provide: DispatchLoop,
          inject: [PLATFORM, AgentRegistry, RunConductor],
          useFactory: (platform: Platform, registry: AgentRegistry, conductor: RunConductor) =>
            new DispatchLoop(dispatcherOn(platform, registry, conductor, config)),
        },
      ],
    };
  }
}

function conductorOn(platform: Platform, registry: AgentRegistry, { maxResident }: Config): RunConductor {
  return new RunConductor({ ...platform, log: platform.runs, graphs: new LangGraphRuntime(registry) }, { maxResident });
}

function dispatcherOn(
  platform: Platform,
  registry: AgentRegistry,
  conductor: RunConductor,
  { limits }: Config,
): Dispatcher {
  const log = new Logger(Dispatcher.name);
  const outages = new OutageLog(log);
  const ports = {
    ...platform,
    log: platform.runs,
    agents: registry,
    wake: (run: RunRef) => conductor.wake(run),
    pause: (ms: number, signal: AbortSignal) => pause(ms, undefined, { signal }).catch(() => {}), // the loop sees why
  };
  return new Dispatcher(ports, limits, {
    leading: () => {
      outages.recovered();
      log.log('This instance dispatches runs');
    },
    interrupted: (cause) => outages.failed(cause),
    delayed: ({ runId }, cause) => log.warn(`Run ${runId} could not be started and is tried again: ${reasonOf(cause)}`),
    standing: ({ runId }, status) =>
      log.warn(`Run ${runId} is ${status} and stood still without a message in the queue: woken`),
    sweepFailed: (cause) => log.warn(`Runs that stand still could not be looked for: ${reasonOf(cause)}`),
    setAside: ({ run, error }) => log.error(`Run ${run.runId} is set aside and will not start: ${reasonOf(error)}`),
  });
}
