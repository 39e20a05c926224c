import { LangGraphRuntime, requirePlayable } from '@millrace/adapter-langgraph';
import { ScriptedLlm } from '@millrace/adapter-llm-scripted';
import { AgentRegistry, loadAgents } from '@millrace/agent-sdk';
import { agents, scriptedAnswer } from '@millrace/agents';
import { reasonOf, RunMover, ServedVersions } from '@millrace/application';
import { WorkerId } from '@millrace/contracts';
import { HealthController, NatsModule, PLATFORM, platformPart, Readiness, tellLeftOut } from '@millrace/nest-kit';
import { LlmPort, type Platform, TaskQueue } from '@millrace/ports';
import { type DynamicModule, Logger, Module, type OnApplicationShutdown } from '@nestjs/common';
import { setTimeout as pause } from 'node:timers/promises';
import { AgentAnnouncer } from './agent-announcer.js';
import type { Config } from './config.js';
import { NodeWorkersReadiness } from './node-workers-readiness.js';
import { StrayRejections } from './stray-rejections.js';
import { TaskController } from './task.controller.js';

@Module({})
export class NodeWorkersModule implements OnApplicationShutdown {
  constructor(
    private readonly mover: RunMover,
    private readonly versions: ServedVersions,
  ) {}

  static forRoot(config: Config): DynamicModule {
    return {
      module: NodeWorkersModule,
      imports: [NatsModule.forRoot(config.natsUrl, 'node-workers')],
      controllers: [HealthController, TaskController],
      providers: [
        StrayRejections,
        { provide: Readiness, useClass: NodeWorkersReadiness },
        {
          provide: AgentRegistry,
          useFactory: async () =>
            tellLeftOut(
              await loadAgents(config.agentModules, { registry: new AgentRegistry(agents), check: requirePlayable }),
            ),
        },
        {
          provide: AgentAnnouncer,
          inject: [PLATFORM, AgentRegistry],
          useFactory: ({ catalogue, ids }: Platform, registry: AgentRegistry) =>
            new AgentAnnouncer(catalogue, registry, WorkerId.parse(ids.next())),
        },
        { provide: LlmPort, useFactory: () => new ScriptedLlm(scriptedAnswer) },
        platformPart(TaskQueue, ({ tasks }) => tasks),
        {
          provide: ServedVersions,
          inject: [PLATFORM],
          useFactory: ({ catalogue }: Platform) => new ServedVersions(catalogue),
        },
        {
          provide: RunMover,
          inject: [PLATFORM, AgentRegistry, LlmPort, ServedVersions],
          useFactory: (platform: Platform, registry: AgentRegistry, llm: LlmPort, versions: ServedVersions) =>
            moverOn(platform, registry, llm, versions, config),
        },
      ],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.mover.close();
    this.versions.close();
  }
}

function moverOn(
  platform: Platform,
  registry: AgentRegistry,
  llm: LlmPort,
  versions: ServedVersions,
  { branches }: Config,
): RunMover {
  const log = new Logger(RunMover.name);
  return new RunMover(
    {
      ...platform,
      log: platform.runs,
      pause: (ms, signal) => pause(ms, undefined, { signal, ref: false }).catch(() => {}), // the caller knows its signal
      graphs: new LangGraphRuntime(registry),
      agents: registry,
      isVersionGone: (agent, version) => versions.isGone(agent, version),
      llm,
    },
    {
      letGo: ({ runId, key }, attempt, why) =>
        log.warn(`Run ${runId}, task ${key}: let go of attempt ${attempt}: ${why}`),
      bodyFailed: ({ tenantId, runId, agent, agentVersion, node, key }, attempt, error) => {
        const message = `Run ${runId}, task ${key}, attempt ${attempt} failed: ${reasonOf(error).slice(0, LONGEST_REASON)}`;
        const fields = { tenantId, runId, agent, agentVersion, node, taskKey: key, attempt, stack: stackOf(error) };
        log.warn({ message, ...fields });
      },
      moveFailed: ({ tenantId, runId, agent, agentVersion }, error) => {
        const message = `Run ${runId} could not be moved: ${reasonOf(error).slice(0, LONGEST_REASON)}`;
        log.error({ message, tenantId, runId, agent, agentVersion, stack: stackOf(error) });
      },
      agentMissing: ({ tenantId, runId, agent, agentVersion }, error) => {
        const message = `Runs of agent ${agent} ${agentVersion}, like ${runId}, wait for a worker that has it: ${reasonOf(error)}`;
        log.error({ message, tenantId, runId, agent, agentVersion });
      },
    },
    { branches },
  );
}

/** An author's error may hold anything, also all of its input. */
const LONGEST_REASON = 2_000;
const LONGEST_STACK = 10_000;

const stackOf = (error: unknown): string =>
  (error instanceof Error ? (error.stack ?? error.message) : String(error)).slice(0, LONGEST_STACK);
