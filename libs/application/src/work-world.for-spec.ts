import type { MemoryProcess } from '@millrace/adapter-memory';
import { AgentRegistry, type ToolDefinition } from '@millrace/agent-sdk';
import { RequestId, type RunEvent } from '@millrace/contracts';
import { type LlmChunk, LlmPort, type NodeRetryPolicy } from '@millrace/ports';
import type { RunCommand } from '@millrace/run-domain';
import { aRunRef, requestRun } from '@millrace/testing';
import { moverOn, PATIENT, SpecPlatform, type StepBody, StepsRuntime, workOn } from '@millrace/testing/simulation';
import type { MoverOptions, RunMover } from './work/run-mover.js';

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

/** A run and the workers that move it. */
export class WorkWorld extends SpecPlatform {
  readonly llm = new CountingLlm();
  readonly letGo: string[] = [];
  readonly failed: string[] = [];
  readonly bodiesFailed: { readonly attempt: number; readonly error: unknown }[] = [];
  readonly graphs: StepsRuntime;
  retry: NodeRetryPolicy | undefined;
  readonly workers: SpecWorker[] = [];
  readonly #agents: AgentRegistry;

  constructor(
    bodies: Readonly<Record<string, Body>>,
    private readonly options: WorldOptions = {},
  ) {
    super();
    const { together = [], tools = {} } = options;
    const steps = Object.keys(bodies).flatMap((node) => {
      if (!together.includes(node)) return [[node]];
      return node === together[0] ? [together] : [];
    });
    this.graphs = new StepsRuntime(() => ({ steps, bodies, retry: this.retry }));
    this.#agents = new AgentRegistry([
      { id: 'echo', version: '1', graph: { nodes: {}, invoke: async () => ({}) }, tools },
    ]);
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
    const mover = moverOn(process, {
      ...{ graphs: this.graphs, llm: this.llm, agents: this.#agents },
      isVersionGone: async () => this.options.isVersionGone ?? false,
      notes: {
        letGo: (_, attempt, why) => void this.letGo.push(`${attempt}: ${why}`),
        bodyFailed: (_, attempt, error) => void this.bodiesFailed.push({ attempt, error }),
        moveFailed: (_, error) => void this.failed.push(String(error)),
        agentMissing: (_, error) => void this.failed.push(String(error)),
      },
      ...{ keepMs: 0, ...this.options.mover },
    });
    await process.deliveries.consume('node-workers', workOn(mover, process.tasks), { ...PATIENT, concurrency: 4 });
    const worker = { process, mover };
    this.workers.push(worker);
    return worker;
  }

  override events(ref = aRunRef): Promise<RunEvent[]> {
    return super.events(ref);
  }

  override kinds(ref = aRunRef): Promise<RunEvent['kind'][]> {
    return super.kinds(ref);
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

  async deadLetters(): Promise<string[]> {
    return (await this.platform.deadLetters.list(100)).map(({ reason }) => reason);
  }
}
