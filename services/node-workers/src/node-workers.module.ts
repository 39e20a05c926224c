import { LangGraphRuntime } from '@millrace/adapter-langgraph';
import { ScriptedLlm } from '@millrace/adapter-llm-scripted';
import { AgentRegistry, loadAgents } from '@millrace/agent-sdk';
import { agents, scriptedAnswer } from '@millrace/agents';
import { TaskExecutor } from '@millrace/application';
import { HealthController, NatsModule, PLATFORM, platformPart, Readiness } from '@millrace/nest-kit';
import { LlmPort, type Platform, TaskQueue } from '@millrace/ports';
import { type DynamicModule, Logger, Module, type OnApplicationShutdown } from '@nestjs/common';
import { setTimeout as pause } from 'node:timers/promises';
import type { Config } from './config.js';
import { NodeWorkersReadiness } from './node-workers-readiness.js';
import { TaskController } from './task.controller.js';

@Module({})
export class NodeWorkersModule implements OnApplicationShutdown {
  constructor(private readonly executor: TaskExecutor) {}

  static forRoot(config: Config): DynamicModule {
    return {
      module: NodeWorkersModule,
      imports: [NatsModule.forRoot(config.natsUrl, 'node-workers')],
      controllers: [HealthController, TaskController],
      providers: [
        { provide: Readiness, useClass: NodeWorkersReadiness },
        {
          provide: AgentRegistry,
          useFactory: () => loadAgents(config.agentModules, undefined, new AgentRegistry(agents)),
        },
        { provide: LlmPort, useFactory: () => new ScriptedLlm(scriptedAnswer) },
        platformPart(TaskQueue, ({ tasks }) => tasks),
        { provide: TaskExecutor, inject: [PLATFORM, AgentRegistry, LlmPort], useFactory: executorOn },
      ],
    };
  }

  onApplicationShutdown(): void {
    this.executor.close();
  }
}

function executorOn(platform: Platform, registry: AgentRegistry, llm: LlmPort): TaskExecutor {
  const log = new Logger(TaskExecutor.name);
  return new TaskExecutor(
    {
      ...platform,
      log: platform.runs,
      pause: (ms) => pause(ms),
      graphs: new LangGraphRuntime(registry),
      agents: registry,
      llm,
    },
    {
      letGo: ({ runId, key }, attempt, why) =>
        log.warn(`Run ${runId}, task ${key}: let go of attempt ${attempt}: ${why}`),
    },
  );
}
