import {
  CountingEventIds,
  InMemoryBlobStore,
  InMemoryRunLog,
  InMemoryTaskQueue,
  ManualClock,
} from '@millrace/adapter-memory';
import {
  AgentRegistry,
  type AgentDefinition,
  nodeContext,
  type NodeContext,
  type ToolDefinition,
} from '@millrace/agent-sdk';
import { RequestId, type RunEvent, type RunRef, TaskKey } from '@millrace/contracts';
import {
  type GraphDriver,
  GraphRuntime,
  type GraphStart,
  type GraphState,
  type GraphTask,
  type LlmChunk,
  LlmPort,
  type NodeOutcome,
  type NodeRetryPolicy,
  type NodeRun,
  type Outcome,
  type RunningGraph,
  Timers,
} from '@millrace/ports';
import { aRunRef, requestRun } from '@millrace/testing';
import { RunConductor } from './conduct/run-conductor.js';
import { RunCommandHandler } from './run-command-handler.js';
import { TaskExecutor } from './work/task-executor.js';

export type Body = (context: NodeContext) => Promise<unknown>;

/** A graph that is a list of nodes, one after the other: enough to see what is done with a graph. */
class ChainRuntime extends GraphRuntime {
  retry: NodeRetryPolicy | undefined;

  constructor(readonly bodies: Readonly<Record<string, Body>>) {
    super();
  }

  start({ history }: GraphStart, driver: GraphDriver): RunningGraph {
    return new Chain(Object.keys(this.bodies), history, driver);
  }

  async runNode({ task }: NodeRun): Promise<NodeOutcome> {
    try {
      return { kind: 'finished', output: await this.bodies[task.node]!(nodeContext()) };
    } catch (error) {
      return { kind: 'failed', error };
    }
  }

  retryPolicyOf(): NodeRetryPolicy | undefined {
    return this.retry;
  }
}

class Chain implements RunningGraph {
  readonly #scheduled = new Set<string>();
  readonly #results = new Map<string, Extract<RunEvent, { kind: 'NodeFinished' }>>();

  constructor(
    private readonly nodes: readonly string[],
    history: readonly RunEvent[],
    private readonly driver: GraphDriver,
  ) {
    for (const event of history) this.apply(event);
  }

  apply(event: RunEvent): void {
    if (event.kind === 'NodeScheduled') for (const { key } of event.tasks) this.#scheduled.add(key);
    if (event.kind === 'NodeFinished') this.#results.set(event.taskKey, event);
  }

  openTasks(): GraphTask[] {
    return this.tasks().filter(({ key }) => this.#scheduled.has(key) && !this.#results.has(key));
  }

  async settled(): Promise<GraphState> {
    for (const task of this.tasks()) {
      const result = this.#results.get(task.key);
      if (result?.result === 'FAILURE') {
        return { kind: 'failed', errorCode: 'MAX_RETRIES_EXCEEDED', reason: result.error?.message ?? '' };
      }
      if (result) continue;
      if (!this.#scheduled.has(task.key)) await this.driver.schedule([task]);
      this.driver.offer(task);
      return { kind: 'waiting' };
    }
    return {
      kind: 'finished',
      output: {
        text: this.tasks()
          .map(({ key }) => this.#results.get(key)?.output)
          .join(' '),
      },
    };
  }

  stop(): void {}

  private tasks(): GraphTask[] {
    return this.nodes.map((node, at) => ({
      ...{ key: TaskKey.parse(`${at + 1}/${node}`), node, iteration: at + 1, inputHash: 'x', input: '{}' },
    }));
  }
}

export class CountingLlm extends LlmPort {
  calls = 0;
  readonly thoughts: string[] = [];

  async *stream(): AsyncGenerator<LlmChunk> {
    this.calls += 1;
    for (const text of this.thoughts) yield { type: 'thought', text };
    yield { type: 'text', text: 'hel' };
    yield { type: 'text', text: 'lo' };
    yield { type: 'end', stopReason: 'end_turn', usage: { inputTokens: 2, outputTokens: 3 } };
  }
}

class NotedTimers extends Timers {
  readonly rang: [string, string][] = [];

  async set(_run: RunRef, name: string, at: Date): Promise<void> {
    this.rang.push([name, at.toISOString()]);
  }
}

/** An orchestrator and workers in memory, moved by hand. */
export class WorkWorld {
  readonly log = new InMemoryRunLog();
  readonly queue = new InMemoryTaskQueue();
  readonly clock = new ManualClock();
  readonly llm = new CountingLlm();
  readonly timers = new NotedTimers();
  readonly letGo: string[] = [];
  readonly graphs: ChainRuntime;
  readonly handler: RunCommandHandler;
  readonly #ids = new CountingEventIds();
  readonly #agents: AgentRegistry;
  conductor: RunConductor;
  worker: TaskExecutor;

  constructor(bodies: Readonly<Record<string, Body>>, tools: Readonly<Record<string, ToolDefinition>> = {}) {
    this.graphs = new ChainRuntime(bodies);
    const definition: AgentDefinition = {
      id: 'echo',
      version: '1',
      graph: { nodes: {}, invoke: async () => ({}) },
      tools,
    };
    this.#agents = new AgentRegistry([definition]);
    this.handler = new RunCommandHandler(this.session());
    this.conductor = this.newConductor();
    this.worker = this.newWorker();
  }

  newConductor(): RunConductor {
    const { queue: tasks, timers, graphs } = this;
    return new RunConductor({ ...this.session(), tasks, timers, graphs, blobs: new InMemoryBlobStore() });
  }

  /** Another process: it remembers nothing. */
  newWorker(): TaskExecutor {
    const { graphs, llm } = this;
    const pause = async () => {};
    const letGo = (_: unknown, attempt: number, why: string) => void this.letGo.push(`${attempt}: ${why}`);
    return new TaskExecutor({ ...this.session(), graphs, llm, agents: this.#agents, pause }, { letGo }, 0);
  }

  async start(): Promise<void> {
    await this.handler.handle(requestRun());
    await this.handler.handle({ kind: 'StartRun', ...aRunRef, agentVersion: '1' });
    await this.conductor.advance(aRunRef);
  }

  /** Works off the queue once; what comes back later is put back. */
  async work(): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    for (let task = this.queue.waiting.shift(); task; task = this.queue.waiting.shift()) {
      const outcome = await this.worker.execute(task);
      outcomes.push(outcome);
      if (outcome.kind === 'retry') {
        this.queue.waiting.push(task);
        return outcomes;
      }
      await this.conductor.advance(aRunRef);
    }
    return outcomes;
  }

  async answer(response: unknown, at = 0): Promise<void> {
    const requests = (await this.events()).filter((event) => event.kind === 'InputRequested');
    const requestId = RequestId.parse(requests[at]?.requestId);
    await this.handler.handle({ kind: 'ProvideInput', ...aRunRef, requestId, response, by: 'ada' });
    await this.conductor.advance(aRunRef);
  }

  async events(): Promise<RunEvent[]> {
    return (await this.log.read(aRunRef)).events;
  }

  async kinds(): Promise<string[]> {
    return (await this.events()).map(({ kind }) => kind);
  }

  private session() {
    return { log: this.log, ids: this.#ids, clock: this.clock };
  }
}
