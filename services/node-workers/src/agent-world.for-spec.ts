import { LangGraphRuntime } from '@millrace/adapter-langgraph';
import { ScriptedLlm } from '@millrace/adapter-llm-scripted';
import {
  CountingEventIds,
  InMemoryBlobStore,
  InMemoryRunLog,
  InMemoryTaskQueue,
  ManualClock,
} from '@millrace/adapter-memory';
import { AgentRegistry } from '@millrace/agent-sdk';
import { agents, scriptedAnswer } from '@millrace/agents';
import { RunCommandHandler, RunConductor, TaskExecutor } from '@millrace/application';
import { aTenantId, isTerminal, type RunEvent, RunId, type RunRef } from '@millrace/contracts';
import { Timers } from '@millrace/ports';

class NoTimers extends Timers {
  async set(): Promise<void> {}
}

/** The agents we ship, conducted and worked in memory: nothing is remembered over a wait, and no worker remembers anything. */
export class AgentWorld {
  readonly #ids = new CountingEventIds();
  readonly #ports = { log: new InMemoryRunLog(), ids: this.#ids, clock: new ManualClock() };
  readonly #queue = new InMemoryTaskQueue();
  readonly #agents = new AgentRegistry(agents);
  readonly #graphs = new LangGraphRuntime(this.#agents);
  readonly #handler = new RunCommandHandler(this.#ports);

  async start(agent: string, input: unknown): Promise<RunRef> {
    const ref = { tenantId: aTenantId, runId: RunId.parse(this.#ids.next()) };
    const order = { agent, appId: 'spec', policy: 'default', input, userId: 'ada' };
    await this.#handler.handle({ kind: 'RequestRun', ...ref, ...order });
    const { version: agentVersion } = this.#agents.latest(agent);
    await this.#handler.handle({ kind: 'StartRun', ...ref, agentVersion });
    return ref;
  }

  /** Until the run has ended or all of it waits for answers. */
  async work(ref: RunRef): Promise<void> {
    const conductor = this.conductor();
    await conductor.advance(ref);
    for (let task = this.#queue.waiting.shift(); task; task = this.#queue.waiting.shift()) {
      await this.worker().execute(task);
      await conductor.advance(ref);
    }
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
    return (await this.#ports.log.read(ref)).events;
  }

  async hasEnded(ref: RunRef): Promise<boolean> {
    return (await this.events(ref)).some(isTerminal);
  }

  private conductor(): RunConductor {
    const more = { tasks: this.#queue, timers: new NoTimers(), graphs: this.#graphs, blobs: new InMemoryBlobStore() };
    return new RunConductor({ ...this.#ports, ...more });
  }

  private worker(): TaskExecutor {
    const llm = new ScriptedLlm(scriptedAnswer);
    const more = { graphs: this.#graphs, llm, agents: this.#agents, pause: async () => {} };
    return new TaskExecutor({ ...this.#ports, ...more }, { letGo: () => {} }, 0);
  }
}

type AskedFor = Extract<RunEvent, { kind: 'InputRequested' }>;

const isAsked = (event: RunEvent): event is AskedFor => event.kind === 'InputRequested';
