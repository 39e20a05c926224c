import { type AgentRegistry, AgentUnknown, NodeSuspension, runWithContext } from '@millrace/agent-sdk';
import type { ReadyTask, RequestId, RunFactOf } from '@millrace/contracts';
import { PlatformError } from '@millrace/kernel';
import type {
  DeadLetters,
  GraphRuntime,
  GraphTask,
  LlmPort,
  NodeInterrupt,
  NodeOutcome,
  NodeRetryPolicy,
} from '@millrace/ports';
import { type OpenTask, RunRefused, taskOf } from '@millrace/run-domain';
import { deadNode } from './dead-node.js';
import { Attempt, type StopReason } from './attempt.js';
import { DurableContext, type Speaker } from './durable-context.js';
import { Interrupts, type KeptInterrupts } from './interrupts.js';
import { decideRetry, describeError } from './retry-decision.js';
import type { HandlePorts, RunHandle } from './run-handle.js';

export interface BodyPorts extends HandlePorts {
  readonly graphs: GraphRuntime;
  readonly agents: Pick<AgentRegistry, 'get'>;
  readonly llm: LlmPort;
  readonly deadLetters: Pick<DeadLetters, 'add'>;
}

export interface BodyNotes {
  /** The attempt was no longer wanted, and left no trace: why. */
  letGo(task: NodeWork, attempt: number, why: string): void;
  /** A body threw: with the stack, which the log of the run does not keep. */
  bodyFailed(task: NodeWork, attempt: number, error: unknown): void;
}

/** A node to be run: what the log says of it, its input, and whose it is. */
export type NodeWork = Pick<ReadyTask, 'tenantId' | 'runId' | 'agent' | 'agentVersion'> & GraphTask;

/** How an attempt ended. Whatever it is, the log has it. */
export type BodyEnd =
  | { readonly kind: 'finished' | 'failed' | 'suspended' }
  | { readonly kind: 'retries'; readonly afterMs: number }
  /** Nothing was appended at its end: the run is to stop, or another worker has the task. */
  | { readonly kind: 'stopped'; readonly why: StopReason | RunRefused };

/** A body that ends its worker so often is not tried again. */
const MAX_DEATHS = 10;

/**
 * Runs the body of one node and appends all it says.
 *
 * I1  An attempt begins with NodeStarted. Of two workers with the same task one is refused there; from then on a lower
 *     attempt is refused whatever it says.
 * I2  What earlier attempts did is given to the body instead of being done again.
 * I3  The end is stored before it is told.
 */
export class BodyRunner {
  constructor(
    private readonly ports: BodyPorts,
    private readonly notes: BodyNotes,
  ) {}

  /** `schedules`: the task is not in the log yet, and its first start schedules it. */
  async run(handle: RunHandle, work: NodeWork, { schedules = false } = {}): Promise<BodyEnd> {
    const { key, node, iteration, inputHash, agent: agentId } = work;
    const open = openTaskOf(handle, work);
    const speaker: Speaker = { agentId, node, taskKey: key, iteration, attempt: (open?.attempt ?? 0) + 1 };
    const attempt = new Attempt(handle, speaker, handle.journalOf(key)); // I2
    const stopListening = handle.listen((event) => {
      if (event.kind === 'RunCancelRequested') attempt.stop('canceled');
      else if (event.kind === 'RunFinished' || event.kind === 'RunFailed' || event.kind === 'RunCanceled')
        attempt.stop('ended');
      else if (event.kind === 'NodeStarted' && event.taskKey === key && event.attempt > speaker.attempt) {
        attempt.stop('superseded');
      }
    });
    try {
      const scheduled = schedules ? { scheduled: { inputHash } } : {};
      await attempt.write({ kind: 'StartNode', ...handle.ref, ...speaker, ...scheduled }); // I1
      return await this.play(handle, work, attempt, open);
    } catch (error) {
      if (!(error instanceof RunRefused)) throw error;
      this.notes.letGo(work, speaker.attempt, error.message);
      return { kind: 'stopped', why: error };
    } finally {
      stopListening();
    }
  }

  private async play(
    handle: RunHandle,
    work: NodeWork,
    attempt: Attempt,
    open: OpenTask | undefined,
  ): Promise<BodyEnd> {
    const startedAt = this.ports.clock.now().getTime();
    const interrupts = new Interrupts(attempt.journal);
    const context = this.contextOf(handle, work, attempt, open);
    const deaths = (open?.deaths ?? 0) + (open?.state.name === 'STARTED' ? 1 : 0);
    const outcome = deaths > MAX_DEATHS ? diedTooOften(deaths) : await this.body(work, context, interrupts);
    const durationMs = this.ports.clock.now().getTime() - startedAt;
    if (attempt.stoppedBy) return this.stopped(work, attempt, attempt.stoppedBy);
    return this.conclude(outcome, { work, attempt, context, interrupts, durationMs, failures: open?.failures ?? 0 });
  }

  private contextOf(handle: RunHandle, work: NodeWork, attempt: Attempt, open: OpenTask | undefined): DurableContext {
    return new DurableContext({
      attempt,
      agent: () => this.ports.agents.get(work.agent, work.agentVersion),
      continues: open?.state.name === 'SUSPENDED',
      policy: () => (handle.run.status === 'ABSENT' ? '' : handle.run.policy),
      llm: this.ports.llm,
      clock: this.ports.clock,
      history: () => handle.readAll(),
    });
  }

  private async body(work: NodeWork, context: DurableContext, { resume }: Interrupts): Promise<NodeOutcome> {
    const { agent, agentVersion, key, node, iteration, inputHash, input, nodeError } = work;
    try {
      return await runWithContext(context, () =>
        this.ports.graphs.runNode({
          agent,
          agentVersion,
          task: { key, node, iteration, inputHash, input, nodeError },
          signal: context.signal,
          resume,
          onToken: (text) => context.emit({ kind: 'TokenDelta', text }),
          onCustom: (chunk) => context.log('info', 'custom', chunk),
        }),
      );
    } catch (error) {
      if (error instanceof AgentUnknown) return { kind: 'failed', error };
      throw error;
    }
  }

  private stopped(work: NodeWork, { speaker, signal }: Attempt, why: StopReason): BodyEnd {
    this.notes.letGo(work, speaker.attempt, String(signal.reason));
    return { kind: 'stopped', why };
  }

  private async conclude(outcome: NodeOutcome, of: Conclusion): Promise<BodyEnd> {
    const { attempt, context, durationMs } = of;
    switch (outcome.kind) {
      case 'finished': {
        const { output } = outcome;
        const result = { ...attempt.ref, ...context.speaker, result: 'SUCCESS', durationMs } as const;
        await attempt.write({ kind: 'FinishNode', ...result, ...(output === undefined ? {} : { output }) }); // I3
        return { kind: 'finished' };
      }
      case 'interrupted':
        return this.suspend(of, await this.request(of, outcome.requests, outcome.state));
      case 'failed':
        if (outcome.error instanceof NodeSuspension) return this.suspend(of, outcome.error.requestIds);
        return this.fail(outcome.error, of);
    }
  }

  private async suspend({ attempt, context }: Conclusion, requestIds: readonly RequestId[]): Promise<BodyEnd> {
    await attempt.write({ kind: 'SuspendNode', ...attempt.ref, ...context.speaker, requestIds: [...requestIds] });
    return { kind: 'suspended' };
  }

  /** Interrupts of a graph become requests for input; what it needs to go on lies in the log beside them. */
  private async request(of: Conclusion, interrupts: readonly NodeInterrupt[], state: string): Promise<RequestId[]> {
    const { attempt, context } = of;
    const { ref } = attempt;
    const asked = of.interrupts.ask(ref.runId, context.taskKey, interrupts);
    const kept: KeptInterrupts = { state, ids: Object.fromEntries(asked.map(({ requestId, id }) => [requestId, id])) };
    const fact = { kind: 'EffectRecorded', ...context.speaker, key: of.interrupts.key, value: kept } as const;
    await attempt.write({ kind: 'Say', ...ref, fact });
    for (const { requestId, request } of asked) {
      await attempt.write({ kind: 'RequestInput', ...ref, ...context.speaker, requestId, request });
    }
    return asked.map(({ requestId }) => requestId);
  }

  private async fail(cause: unknown, of: Conclusion): Promise<BodyEnd> {
    const { work, attempt, context, durationMs } = of;
    const { ref } = attempt;
    if (cause instanceof RunRefused) throw cause;
    this.notes.bodyFailed(work, attempt.speaker.attempt, cause);
    const decision = decideRetry(cause, of.failures + 1, this.policyFor(work));
    if (decision.kind === 'retry') {
      const retryAt = new Date(this.ports.clock.now().getTime() + decision.afterMs).toISOString();
      const error = describeError(cause, { retryable: true });
      await attempt.write({ kind: 'ScheduleRetry', ...ref, ...context.speaker, error, retryAt });
      return { kind: 'retries', afterMs: decision.afterMs };
    }
    const code = cause instanceof AgentUnknown ? cause.code : decision.errorCode;
    const error = describeError(cause, { code, retryable: false });
    await attempt.write({ kind: 'FinishNode', ...ref, ...context.speaker, result: 'FAILURE', durationMs, error });
    await this.ports.deadLetters.add(deadNode(work, of.failures + 1, `${code}: ${error.message}`, attempt.place));
    return { kind: 'failed' };
  }

  private policyFor({ agent, agentVersion, node }: NodeWork): NodeRetryPolicy | undefined {
    return this.ports.graphs.retryPolicyOf(agent, agentVersion, node);
  }
}

const openTaskOf = ({ run }: RunHandle, { key }: NodeWork): OpenTask | undefined => {
  const task = taskOf(run, key);
  return task && 'openTools' in task ? task : undefined;
};

const diedTooOften = (deaths: number): NodeOutcome => ({
  kind: 'failed',
  error: new WorkersDied(`${deaths} workers died while they ran this node`),
});

class WorkersDied extends PlatformError {
  readonly code = 'MAX_RETRIES_EXCEEDED';
  readonly redelivery = 'park';
}

interface Conclusion {
  readonly work: NodeWork;
  readonly attempt: Attempt;
  readonly context: DurableContext;
  readonly interrupts: Interrupts;
  readonly durationMs: RunFactOf<'NodeFinished'>['durationMs'];
  readonly failures: number;
}
