import { Dispatcher, reasonOf, RunOverseer } from '@millrace/application';
import {
  countWoken,
  HealthController,
  KnownAgentsModule,
  NatsModule,
  OutageLog,
  PLATFORM,
  platformPart,
  Readiness,
  SetAsideLog,
} from '@millrace/nest-kit';
import type { RunRef, RunTask } from '@millrace/contracts';
import { KnownAgents, type Platform, RunLog } from '@millrace/ports';
import { type DynamicModule, Logger, Module } from '@nestjs/common';
import { setTimeout as pause } from 'node:timers/promises';
import type { Config } from './config.js';
import { DispatchLoop } from './dispatch-loop.js';
import { OverseeController } from './oversee.controller.js';
import { OrchestratorReadiness } from './orchestrator-readiness.js';

@Module({})
export class OrchestratorModule {
  static forRoot(config: Config): DynamicModule {
    return {
      module: OrchestratorModule,
      imports: [NatsModule.forRoot(config.natsUrl, 'orchestrator'), KnownAgentsModule.forRoot()],
      controllers: [HealthController, OverseeController],
      providers: [
        platformPart(RunLog, ({ runs }) => runs),
        { provide: Readiness, useClass: OrchestratorReadiness },
        {
          provide: RunOverseer,
          inject: [PLATFORM],
          useFactory: (platform: Platform) => new RunOverseer({ ...platform, log: platform.runs }),
        },
        {
          provide: DispatchLoop,
          inject: [PLATFORM, KnownAgents, RunOverseer],
          useFactory: (platform: Platform, agents: KnownAgents, overseer: RunOverseer) =>
            new DispatchLoop(dispatcherOn(platform, agents, overseer, config)),
        },
      ],
    };
  }
}

function dispatcherOn(platform: Platform, agents: KnownAgents, overseer: RunOverseer, { limits }: Config): Dispatcher {
  const log = new Logger(Dispatcher.name);
  const outages = new OutageLog(log);
  const setAsides = new SetAsideLog(log);
  const ports = {
    ...platform,
    log: platform.runs,
    agents,
    wake: (run: RunRef) => overseer.wake(run),
    offer: (task: RunTask) => overseer.started(task),
    pause: (ms: number, signal: AbortSignal) => pause(ms, undefined, { signal }).catch(() => {}), // the loop sees why
  };
  return new Dispatcher(ports, limits, {
    leading: () => {
      outages.recovered();
      log.log('This instance dispatches runs');
    },
    interrupted: (cause) => outages.failed(cause),
    delayed: ({ runId }, cause) =>
      log.warn(`Run ${runId} cannot be started now and is tried again: ${reasonOf(cause)}`),
    standing: ({ runId }, status) => {
      countWoken(status);
      log.warn(`Run ${runId} is ${status} and stood still without a message in the queue: woken`);
    },
    stranded: ({ runId }, cause) => log.warn(`Run ${runId} waits for its agent, and others have its slot: ${cause}`),
    snapshotUnusable: (cause) => log.error(`The saved queue cannot be used, and is read anew: ${reasonOf(cause)}`),
    sweepFailed: (cause) => log.warn(`Runs that stand still could not be looked for: ${reasonOf(cause)}`),
    setAside: (what) => setAsides.setAside(what),
  });
}
