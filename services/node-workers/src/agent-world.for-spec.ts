import 'reflect-metadata';
import { LangGraphRuntime } from '@millrace/adapter-langgraph';
import { ScriptedLlm } from '@millrace/adapter-llm-scripted';
import { ManualClock, memoryPlatform } from '@millrace/adapter-memory';
import { AgentRegistry } from '@millrace/agent-sdk';
import { agents, scriptedAnswer } from '@millrace/agents';
import { RunCommandHandler, RunMover, RunOverseer } from '@millrace/application';
import { aTenantId, isTerminal, type RunEvent, RunId, type RunRef } from '@millrace/contracts';
import { JetStreamContext } from '@millrace/nest-kit';
import type { Consuming } from '@millrace/ports';
import { untilQuiet } from '@millrace/testing';
import { TaskController } from './task.controller.js';

const STEP_MS = 200;

/** The agents we ship, moved in memory; after each wait by a worker that remembers nothing. */
export class AgentWorld {
  readonly #clock = new ManualClock();
  readonly platform = memoryPlatform({ clock: this.#clock });
  readonly #agents = new AgentRegistry(agents);
  readonly #graphs = new LangGraphRuntime(this.#agents);
  readonly #handler: RunCommandHandler;
  readonly #orchestrator: Promise<Consuming>;

  constructor() {
    const { runs: log, deliveries } = this.platform;
    const ports = { ...this.platform, log };
    this.#handler = new RunCommandHandler(ports);
    const overseer = new RunOverseer(ports);
    this.#orchestrator = deliveries.consume('orchestrator', async (delivery) => {
      const { event, tail } = await log.delivered(delivery);
      return overseer.heard(event, tail);
    });
  }

  async start(agent: string, input: unknown): Promise<RunRef> {
    await this.#orchestrator;
    const ref = { tenantId: aTenantId, runId: RunId.parse(this.platform.ids.next()) };
    const order = { agent, appId: 'spec', policy: 'default', input, userId: 'ada' };
    await this.#handler.handle({ kind: 'RequestRun', ...ref, ...order });
    const { version: agentVersion } = this.#agents.latest(agent);
    await this.#handler.handle({ kind: 'StartRun', ...ref, agentVersion });
    return ref;
  }

  /** Until the run has ended or all of it waits for answers. */
  async work(ref: RunRef): Promise<void> {
    const { process, mover, consuming } = await this.startWorker();
    for (;;) {
      await untilQuiet(this.platform);
      const isIdle = this.platform.store.tasks.messages.length === 0;
      if (isIdle || (await this.hasEnded(ref))) break;
      this.#clock.advance(STEP_MS);
    }
    await consuming.close(0);
    await mover.close();
    process.crash();
  }

  /** Answers the open question that was asked first. */
  async answer(ref: RunRef, response: (asked: AskedFor) => unknown): Promise<void> {
    const events = await this.events(ref);
    const answered = new Set(events.flatMap((event) => (event.kind === 'InputProvided' ? [event.requestId] : [])));
    const asked = events.find((event): event is AskedFor => isAsked(event) && !answered.has(event.requestId));
    if (!asked) throw new TypeError(`Run ${ref.runId} asks nothing`);
    const { requestId } = asked;
    await this.#handler.handle({ kind: 'ProvideInput', ...ref, requestId, response: response(asked), by: 'ada' });
  }

  async events(ref: RunRef): Promise<RunEvent[]> {
    return (await this.platform.runs.read(ref)).events;
  }

  async hasEnded(ref: RunRef): Promise<boolean> {
    return (await this.events(ref)).some(isTerminal);
  }

  private async startWorker() {
    const process = this.platform.process();
    const mover = new RunMover(
      {
        ...process,
        log: process.runs,
        graphs: this.#graphs,
        llm: new ScriptedLlm(scriptedAnswer),
        agents: this.#agents,
        pause: (ms, signal) => process.pause(ms, signal),
        isVersionGone: async () => false,
      },
      { letGo: () => {}, bodyFailed: () => {}, moveFailed: () => {}, agentMissing: () => {} },
      { keepMs: 0 },
    );
    const tasks = new TaskController(mover, process.tasks);
    const consuming = await process.deliveries.consume(
      'node-workers',
      (delivery) => tasks.offered(new JetStreamContext([{ ...delivery, headers: undefined }])),
      { concurrency: 4, maxAttempts: 1_000 },
    );
    return { process, mover, consuming };
  }
}

type AskedFor = Extract<RunEvent, { kind: 'InputRequested' }>;

const isAsked = (event: RunEvent): event is AskedFor => event.kind === 'InputRequested';
