import { type AgentRegistry, AgentUnknown, NodeSuspension, runWithContext } from '@millrace/agent-sdk';
import { PlatformError } from '@millrace/kernel';
import type { ReadyTask, RequestId, RunRef } from '@millrace/contracts';
import {
  done,
  leave,
  type GraphRuntime,
  type GraphTask,
  type LlmPort,
  type NodeInterrupt,
  type NodeOutcome,
  type NodeRetryPolicy,
  type Outcome,
  park,
  retryAfter,
} from '@millrace/ports';
import { hasEnded, type OpenTask, RunRefused, taskOf, unansweredOf } from '@millrace/run-domain';
import { DurableContext, type Speaker } from './durable-context.js';
import { Interrupts, type KeptInterrupts } from './interrupts.js';
import { decideRetry, describeError } from './retry-decision.js';
import { type DeskPorts, type RunDesk, type StopReason } from './run-desk.js';
import { RunDesks } from './run-desks.js';
import { TaskJournal } from './task-journal.js';
import { TaskVoice } from './task-voice.js';

export interface WorkPorts extends DeskPorts {
  readonly graphs: GraphRuntime;
  readonly agents: AgentRegistry;
  readonly llm: LlmPort;
}

export interface WorkNotes {
  /** The attempt was no longer wanted, and left no trace: why. */
  letGo(task: ReadyTask, attempt: number, why: string): void;
}

/** What the queue knows of the message a task came in. */
export interface TaskMessage {
  /** 1 for the first time. More of them than failures means that workers died over it. */
  readonly deliveries: number;
  /** Whether it may have been given to another worker since. */
  readonly hasStalled: () => boolean;
}

const FRESH: TaskMessage = { deliveries: 1, hasStalled: () => false };

/** A body that ends its worker so often is not tried again. */
const MAX_DEATHS = 10;

/**
 * Runs the body of one node and appends all it says.
 *
 * I1  An attempt begins with NodeStarted. Of two workers with the same task one is refused there; from then on whoever
 *     holds a lower attempt is refused whatever it says.
 * I2  What earlier attempts did is read before the body runs, and given to it instead of being done again.
 * I3  The task is done for the queue only once its result, its wait or its next attempt is in the log.
 * I4  A message that another worker has by now is left alone: to settle it would take it from that worker, and nobody
 *     would be given it if that one died too.
 * I5  A task is taken for done, or not due, only by the whole of the history: what is decided without an append is
 *     compared with nothing.
 */
export class TaskExecutor {
  readonly #desks: RunDesks;

  constructor(
    private readonly ports: WorkPorts,
    private readonly notes: WorkNotes,
    keepDeskMs = 5_000,
  ) {
    this.#desks = new RunDesks(ports, keepDeskMs);
  }

  execute(task: ReadyTask, message: TaskMessage = FRESH): Promise<Outcome> {
    return this.#desks.with(task, async (desk) => {
      await desk.refresh(task.scheduledAt ?? 'now'); // I5
      let ready = this.startable(desk, task, message);
      if (!('open' in ready)) {
        await desk.refresh('now'); // I5
        ready = this.startable(desk, task, message);
      }
      return 'open' in ready ? this.attempt(desk, task, message, ready.open) : ready;
    });
  }

  close(): void {
    this.#desks.close();
  }

  /** The open task when it can be started now; else what becomes of the message. */
  private startable(
    desk: RunDesk,
    { key, isOnlyMessage }: ReadyTask,
    message: TaskMessage,
  ): Outcome | { readonly open: OpenTask } {
    const { run } = desk;
    const task = taskOf(run, key);
    if (hasEnded(run) || run.status === 'CANCELED_REQUESTED' || !task || !('openTools' in task)) return done;
    if (run.status === 'PAUSED') return done; // offered again when it is resumed
    if (unansweredOf(run, task).length > 0) return done; // offered again when it is answered
    // Only a message that comes back speaks for a worker that is gone; a new one for a task in hand is one too many.
    if (task.state.name === 'STARTED' && message.deliveries === 1 && !isOnlyMessage) return done;
    if (task.state.name === 'RETRYING') {
      const leftMs = new Date(task.state.retryAt).getTime() - this.ports.clock.now().getTime();
      if (leftMs > 0) return retryAfter(leftMs);
    }
    return { open: task };
  }

  private async attempt(desk: RunDesk, task: ReadyTask, message: TaskMessage, open: OpenTask): Promise<Outcome> {
    const ref: RunRef = { tenantId: task.tenantId, runId: task.runId };
    const attempt = open.attempt + 1;
    const { key, node, iteration, agent: agentId } = task;
    const speaker: Speaker = { agentId, node, taskKey: key, iteration, attempt };
    const voice = new TaskVoice(desk.writer);
    const stopped = new AbortController();
    const unwatch = desk.watch(key, attempt, (reason) => stopped.abort(new AttemptStopped(reason)));
    try {
      await voice.write({ kind: 'StartNode', ...ref, ...speaker }); // I1
      const startedAt = this.ports.clock.now().getTime();
      const journal = open.attempt === 0 ? new TaskJournal(key) : TaskJournal.of(key, await desk.history()); // I2
      const context = this.contextOf({ desk, ref, speaker, voice, journal, signal: stopped.signal, open, task });
      const interrupts = new Interrupts(journal);
      const deaths = message.deliveries - 1 - open.failures;
      const outcome = deaths > MAX_DEATHS ? diedTooOften(deaths) : await this.runBody(task, context, interrupts);
      const durationMs = this.ports.clock.now().getTime() - startedAt;
      return await this.conclude(task, outcome, {
        ...{ ref, context, voice, open, durationMs, interrupts },
        stopped: stopped.signal,
      });
    } catch (error) {
      if (!(error instanceof RunRefused)) throw error;
      this.notes.letGo(task, attempt, error.message);
      return message.hasStalled() ? leave : done; // I4
    } finally {
      unwatch();
    }
  }

  private contextOf(of: AttemptParts): DurableContext {
    const { desk, ref, speaker, voice, journal, signal, open, task } = of;
    return new DurableContext({
      ...{ ref, speaker, journal, voice, signal },
      agent: () => this.ports.agents.get(task.agent, task.agentVersion),
      continues: open.state.name === 'SUSPENDED',
      policy: () => (desk.run.status === 'ABSENT' ? '' : desk.run.policy),
      llm: this.ports.llm,
      clock: this.ports.clock,
      history: () => desk.history(),
    });
  }

  private async runBody(task: ReadyTask, context: DurableContext, interrupts: Interrupts): Promise<NodeOutcome> {
    const { key, node, iteration, inputHash, input, nodeError } = task;
    const graphTask: GraphTask = { key, node, iteration, inputHash, input, nodeError };
    try {
      return await runWithContext(context, () =>
        this.ports.graphs.runNode({
          agent: task.agent,
          agentVersion: task.agentVersion,
          task: graphTask,
          signal: context.signal,
          resume: interrupts.resume,
          onToken: (text) => context.emit({ kind: 'TokenDelta', text }),
          onCustom: (chunk) => context.log('info', 'custom', chunk),
        }),
      );
    } catch (error) {
      if (error instanceof AgentUnknown) return { kind: 'failed', error };
      throw error;
    }
  }

  private async conclude(task: ReadyTask, outcome: NodeOutcome, of: Conclusion): Promise<Outcome> {
    const { voice, ref, context, durationMs } = of;
    if (of.stopped.aborted) {
      const reason: unknown = of.stopped.reason;
      this.notes.letGo(task, context.attempt, String(reason));
      return reason instanceof AttemptStopped && reason.why === 'superseded' ? leave : done; // I4
    }
    switch (outcome.kind) {
      case 'finished': {
        const { output } = outcome;
        const result = { ...ref, ...context.speaker, result: 'SUCCESS', durationMs } as const;
        await voice.write({ kind: 'FinishNode', ...result, ...(output === undefined ? {} : { output }) }); // I3
        return done;
      }
      case 'interrupted':
        return this.suspend(of, await this.request(of, outcome.requests, outcome.state));
      case 'failed':
        if (outcome.error instanceof NodeSuspension) return this.suspend(of, outcome.error.requestIds);
        return this.fail(task, outcome.error, of);
    }
  }

  private async suspend({ voice, ref, context }: Conclusion, requestIds: readonly RequestId[]): Promise<Outcome> {
    await voice.write({ kind: 'SuspendNode', ...ref, ...context.speaker, requestIds: [...requestIds] });
    return done;
  }

  /** Interrupts of a graph become requests for input; what it needs to go on lies in the log beside them. */
  private async request(of: Conclusion, interrupts: readonly NodeInterrupt[], state: string): Promise<RequestId[]> {
    const { voice, ref, context } = of;
    const asked = of.interrupts.ask(ref.runId, context.taskKey, interrupts);
    const kept: KeptInterrupts = { state, ids: Object.fromEntries(asked.map(({ requestId, id }) => [requestId, id])) };
    const fact = { kind: 'EffectRecorded', ...context.speaker, key: of.interrupts.key, value: kept } as const;
    await voice.write({ kind: 'Say', ...ref, fact });
    for (const { requestId, request } of asked) {
      await voice.write({ kind: 'RequestInput', ...ref, ...context.speaker, requestId, request });
    }
    return asked.map(({ requestId }) => requestId);
  }

  private async fail(task: ReadyTask, cause: unknown, of: Conclusion): Promise<Outcome> {
    const { voice, ref, context, open, durationMs } = of;
    if (cause instanceof RunRefused) throw cause;
    const decision = decideRetry(cause, open.failures + 1, this.policyFor(task, cause));
    if (decision.kind === 'retry') {
      const retryAt = new Date(this.ports.clock.now().getTime() + decision.afterMs).toISOString();
      const error = describeError(cause, { retryable: true });
      await voice.write({ kind: 'ScheduleRetry', ...ref, ...context.speaker, error, retryAt });
      return retryAfter(decision.afterMs);
    }
    const code = cause instanceof AgentUnknown ? cause.code : decision.errorCode;
    const error = describeError(cause, { code, retryable: false });
    await voice.write({ kind: 'FinishNode', ...ref, ...context.speaker, result: 'FAILURE', durationMs, error });
    return park(`${code}: ${error.message}`);
  }

  /** Another worker may know the agent this one does not, while a new version is being rolled out. */
  private policyFor({ agent, agentVersion, node }: ReadyTask, cause: unknown): NodeRetryPolicy | undefined {
    if (cause instanceof AgentUnknown) return { isRetryable: () => true };
    return this.ports.graphs.retryPolicyOf(agent, agentVersion, node);
  }
}

const diedTooOften = (deaths: number): NodeOutcome => ({
  kind: 'failed',
  error: new WorkersDied(`${deaths} workers died while they ran this node`),
});

class WorkersDied extends PlatformError {
  readonly code = 'MAX_RETRIES_EXCEEDED';
  readonly redelivery = 'park';
}

interface AttemptParts {
  readonly desk: RunDesk;
  readonly ref: RunRef;
  readonly speaker: Speaker;
  readonly voice: TaskVoice;
  readonly journal: TaskJournal;
  readonly signal: AbortSignal;
  readonly open: OpenTask;
  readonly task: ReadyTask;
}

interface Conclusion {
  readonly ref: RunRef;
  readonly context: DurableContext;
  readonly voice: TaskVoice;
  readonly open: OpenTask;
  readonly durationMs: number;
  readonly interrupts: Interrupts;
  readonly stopped: AbortSignal;
}

class AttemptStopped extends Error {
  override readonly name = 'AbortError';

  constructor(readonly why: StopReason) {
    super(`The run or the attempt is ${why}`);
  }
}
