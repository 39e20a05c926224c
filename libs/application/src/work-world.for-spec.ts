import { ManualClock, type MemoryProcess, memoryPlatform } from '@millrace/adapter-memory';
import { type AgentDefinition, AgentRegistry, type ToolDefinition } from '@millrace/agent-sdk';
import { NodeTask, RequestId, type RunEvent, RunTask } from '@millrace/contracts';
import {
  type Consuming,
  type Delivery,
  type LlmChunk,
  LlmPort,
  type NodeRetryPolicy,
  type Outcome,
} from '@millrace/ports';
import type { RunCommand } from '@millrace/run-domain';
import { aRunRef, requestRun, untilQuiet } from '@millrace/testing';
import { type StepBody, StepsRuntime } from '@millrace/testing/simulation';
import { RunOverseer } from './oversee/run-overseer.js';
import { RunCommandHandler } from './run-command-handler.js';
import { type MoverOptions, RunMover } from './work/run-mover.js';

export type Body = StepBody;

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

export interface WorldOptions {
  readonly tools?: Readonly<Record<string, ToolDefinition>>;
  /** Nodes that are run at once; each of the others is a step of its own, in the order of the bodies. */
  readonly together?: readonly string[];
  readonly workers?: number;
  readonly mover?: MoverOptions;
  readonly isVersionGone?: boolean;
}

/** A worker of the world: a process that can die or stand still. */
export interface SpecWorker {
  readonly process: MemoryProcess;
  readonly mover: RunMover;
}

const STEP_MS = 200;

/** An orchestrator and workers on one platform in memory, by a clock that is moved by hand. */
export class WorkWorld {
  readonly clock = new ManualClock();
  readonly platform = memoryPlatform({ clock: this.clock });
  readonly llm = new CountingLlm();
  readonly letGo: string[] = [];
  readonly failed: string[] = [];
  readonly bodiesFailed: { readonly attempt: number; readonly error: unknown }[] = [];
  readonly handler: RunCommandHandler;
  readonly overseer: RunOverseer;
  readonly graphs: StepsRuntime;
  retry: NodeRetryPolicy | undefined;
  readonly workers: SpecWorker[] = [];
  readonly #consuming: Consuming[] = [];
  readonly #agents: AgentRegistry;

  constructor(
    bodies: Readonly<Record<string, Body>>,
    private readonly options: WorldOptions = {},
  ) {
    const { together = [], tools = {} } = options;
    const steps = Object.keys(bodies).flatMap((node) => {
      if (!together.includes(node)) return [[node]];
      return node === together[0] ? [together] : [];
    });
    this.graphs = new StepsRuntime(() => ({ steps, bodies, retry: this.retry }));
    const graph = { nodes: {}, invoke: async () => ({}) };
    this.#agents = new AgentRegistry([{ id: 'echo', version: '1', graph, tools } satisfies AgentDefinition]);
    this.handler = new RunCommandHandler(this.session);
    this.overseer = new RunOverseer({ ...this.platform, log: this.platform.runs });
  }

  get session() {
    const { runs: log, ids, clock } = this.platform;
    return { log, ids, clock };
  }

  /** The run is asked for and dispatched, and all that can happen has. */
  async start(): Promise<void> {
    await this.openOrchestrator();
    for (let count = 0; count < (this.options.workers ?? 1); count += 1) await this.addWorker();
    await this.handler.handle(requestRun());
    await this.handler.handle({ kind: 'StartRun', ...aRunRef, agentVersion: '1' });
    await this.quiet();
  }

  /** Another process: it remembers nothing. */
  async addWorker(): Promise<SpecWorker> {
    const process = this.platform.process();
    const mover = new RunMover(
      {
        ...process,
        log: process.runs,
        graphs: this.graphs,
        llm: this.llm,
        agents: this.#agents,
        pause: (ms, signal) => process.pause(ms, signal),
        isVersionGone: async () => this.options.isVersionGone ?? false,
      },
      {
        letGo: (_, attempt, why) => void this.letGo.push(`${attempt}: ${why}`),
        bodyFailed: (_, attempt, error) => void this.bodiesFailed.push({ attempt, error }),
        moveFailed: (_, error) => void this.failed.push(String(error)),
        agentMissing: (_, error) => void this.failed.push(String(error)),
      },
      { keepMs: 0, ...this.options.mover },
    );
    this.#consuming.push(
      await process.deliveries.consume('node-workers', (delivery) => workOn(mover, delivery), {
        concurrency: 4,
        maxAttempts: 1_000,
      }),
    );
    const worker = { process, mover };
    this.workers.push(worker);
    return worker;
  }

  /** All that can happen at this time has happened. */
  quiet(): Promise<void> {
    return untilQuiet(this.platform);
  }

  /** In small steps: what happens at one time may lead to something a little later. */
  async advance(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= STEP_MS) {
      this.clock.advance(Math.min(left, STEP_MS));
      await this.quiet();
    }
  }

  async order(command: RunCommand): Promise<void> {
    await this.handler.handle(command);
    await this.quiet();
  }

  async answer(response: unknown, at = 0): Promise<void> {
    const requests = (await this.events()).filter((event) => event.kind === 'InputRequested');
    const requestId = RequestId.parse(requests[at]?.requestId);
    await this.order({ kind: 'ProvideInput', ...aRunRef, requestId, response, by: 'ada' });
  }

  async events(): Promise<RunEvent[]> {
    return (await this.platform.runs.read(aRunRef)).events;
  }

  async kinds(): Promise<string[]> {
    return (await this.events()).map(({ kind }) => kind);
  }

  async deadLetters(): Promise<string[]> {
    return (await this.platform.deadLetters.list(100)).map(({ reason }) => reason);
  }

  private async openOrchestrator(): Promise<void> {
    const { deliveries, runs } = this.platform;
    this.#consuming.push(
      await deliveries.consume(
        'orchestrator',
        async (delivery) => {
          const { event, tail } = await runs.delivered(delivery);
          return this.overseer.heard(event, tail);
        },
        { concurrency: 8 },
      ),
      await deliveries.consume('orchestrator-timers', () => this.overseer.advance(aRunRef)),
    );
  }
}

const workOn = (mover: RunMover, { data, attempt: deliveries, hasStalled }: Delivery): Promise<Outcome> => {
  const message = { deliveries, hasStalled, othersWait: () => false };
  const body: unknown = JSON.parse(new TextDecoder().decode(data));
  const asRun = RunTask.safeParse(body);
  if (asRun.success) return mover.move(asRun.data, message);
  const { input, ...task } = NodeTask.parse(body);
  return mover.execute({ ...task, input: input as string }, message);
};
