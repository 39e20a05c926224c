import 'reflect-metadata';
import { LangGraphRuntime } from '@millrace/adapter-langgraph';
import { ScriptedLlm } from '@millrace/adapter-llm-scripted';
import { AgentRegistry } from '@millrace/agent-sdk';
import { agents, scriptedAnswer } from '@millrace/agents';
import { aTenantId, isTerminal, type RunEvent, RunId, type RunRef } from '@millrace/contracts';
import { JetStreamContext } from '@millrace/nest-kit';
import { moverOn, PATIENT, SpecPlatform } from '@millrace/testing/simulation';
import { TaskController } from './task.controller.js';

/** The agents we ship, moved in memory; after each wait by a worker that remembers nothing. */
export class AgentWorld extends SpecPlatform {
  readonly #agents = new AgentRegistry(agents);
  readonly #graphs = new LangGraphRuntime(this.#agents);
  readonly #orchestrator = this.openOrchestrator();

  async start(agent: string, input: unknown): Promise<RunRef> {
    await this.#orchestrator;
    const ref = { tenantId: aTenantId, runId: RunId.parse(this.platform.ids.next()) };
    const order = { agent, appId: 'spec', policy: 'default', input, userId: 'ada' };
    await this.handler.handle({ kind: 'RequestRun', ...ref, ...order });
    const { version: agentVersion } = this.#agents.latest(agent);
    await this.handler.handle({ kind: 'StartRun', ...ref, agentVersion });
    return ref;
  }

  /** Until the run has ended or all of it waits for answers. */
  async work(ref: RunRef): Promise<void> {
    const { process, mover, consuming } = await this.startWorker();
    await this.quiet();
    while (this.platform.store.tasks.messages.length > 0 && !(await this.hasEnded(ref))) await this.advance();
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
    await this.handler.handle({ kind: 'ProvideInput', ...ref, requestId, response: response(asked), by: 'ada' });
  }

  async hasEnded(ref: RunRef): Promise<boolean> {
    return (await this.events(ref)).some(isTerminal);
  }

  private async startWorker() {
    const process = this.platform.process();
    const llm = new ScriptedLlm(scriptedAnswer);
    const mover = moverOn(process, { graphs: this.#graphs, agents: this.#agents, llm, keepMs: 0 });
    const tasks = new TaskController(mover, process.tasks);
    const consuming = await process.deliveries.consume(
      'node-workers',
      (delivery) => tasks.offered(new JetStreamContext([{ ...delivery, headers: undefined }])),
      { ...PATIENT, concurrency: 4 },
    );
    return { process, mover, consuming };
  }
}

type AskedFor = Extract<RunEvent, { kind: 'InputRequested' }>;

const isAsked = (event: RunEvent): event is AskedFor => event.kind === 'InputRequested';
