import { AgentUnknown } from '@millrace/agent-sdk';
import type { NodeTask, ReadyTask, RunTask } from '@millrace/contracts';
import { PlatformError } from '@millrace/kernel';
import { done, leave, type Outcome, park, retryAfter, StoreFull, StoreUnavailable } from '@millrace/ports';
import { hasEnded, RunRefused, taskOf, unansweredOf } from '@millrace/run-domain';
import { type BodyEnd, type BodyNotes, BodyRunner } from './body-runner.js';
import { BranchSlots } from './branch-slots.js';
import { MovedRun, type MovePorts, type TaskMessage } from './moved-run.js';
import type { RunHandle } from './run-handle.js';
import { RunHandles } from './run-handles.js';

export interface MoveNotes extends BodyNotes {
  /** A run could not be moved, and is tried again or ended: why. */
  moveFailed(run: RunTask, error: unknown): void;
  /** This worker does not have the agent of a run: told once for each agent and version. The run waits for one that has. */
  agentMissing(run: RunTask | ReadyTask, error: AgentUnknown): void;
}

export interface MoverOptions {
  /** How many branches of steps of several run here, beside the one each run has anyway. */
  readonly branches?: number;
  /** How long a run's handle is kept for its next task. */
  readonly keepMs?: number;
}

/** A message as it was delivered: 1 for the first time. */
export type DeliveredMessage = TaskMessage & { readonly deliveries: number };

/** What we do not understand may pass, but not for ever. */
const MOST_FAILURES = 5;
const LONGEST_PAUSE_MS = 5_000;
/** In so many deliveries, a few seconds, a worker that is being replaced is there again. */
const PASSED_ON = 6;

/**
 * What a worker does with the messages of the queue: it moves runs, and runs nodes for runs that others move.
 *
 * I1  A message is done only when all that follows from it here is in the log; one that another worker has by now is left
 *     alone.
 * I2  No run stops the others: one that cannot be moved ends with the reason, where its log can be written, and becomes a
 *     dead letter where it cannot be read.
 */
export class RunMover {
  readonly #handles: RunHandles;
  readonly #bodies: BodyRunner;
  readonly #slots: BranchSlots;
  readonly #parked = new Map<RunHandle, MovedRun>();
  readonly #failures = new Map<string, number>();
  readonly #missing = new Set<string>();

  constructor(
    private readonly ports: MovePorts,
    private readonly notes: MoveNotes,
    { branches = 20, keepMs = 2_000 }: MoverOptions = {},
  ) {
    this.#handles = new RunHandles(ports, keepMs, (handle) => this.unpark(handle)?.close());
    this.#bodies = new BodyRunner(ports, notes);
    this.#slots = new BranchSlots(branches);
  }

  move(task: RunTask, message: DeliveredMessage): Promise<Outcome> {
    const isFirst = message.deliveries === 1;
    const { seed, ...unseeded } = task;
    return this.#handles.with(isFirst ? task : unseeded, async (handle) => {
      try {
        await handle.refresh(isFirst ? task.place : 'now');
        const outcome = await this.moveOn(handle, task, message);
        this.#failures.delete(task.runId);
        return outcome;
      } catch (error) {
        this.unpark(handle)?.close();
        return this.failed(handle, task, message, error);
      }
    });
  }

  /** A node of a run that another worker moves. */
  execute(task: ReadyTask, message: DeliveredMessage): Promise<Outcome> {
    const { scheduledAt: place } = task;
    return this.#handles.with({ ...task, place: place ?? 1 }, async (handle) => {
      handle.forgetHistory();
      await handle.refresh(place ?? 'now');
      let outcome = this.isNotDue(handle, task);
      if (outcome) {
        await handle.refresh('now'); // what is decided without an append is decided on the whole history
        outcome = this.isNotDue(handle, task);
      }
      if (outcome) return outcome;
      const missing = this.missing(task);
      if (missing) return this.goesToOthers(task, message, missing);
      return outcomeOf(await this.#bodies.run(handle, task), message);
    });
  }

  close(): Promise<void> {
    return this.#handles.close();
  }

  get inHand(): number {
    return this.#handles.size;
  }

  private async moveOn(handle: RunHandle, task: RunTask, message: TaskMessage): Promise<Outcome> {
    const { agent, agentVersion } = task;
    const parts = [this.ports, this.#bodies, this.#slots, handle] as const;
    const run = this.unpark(handle) ?? new MovedRun(...parts, { agent, agentVersion });
    try {
      const outcome = await run.move(message);
      if (run.isParked) this.#parked.set(handle, run);
      return outcome;
    } finally {
      if (!run.isParked) run.close();
    }
  }

  private unpark(handle: RunHandle): MovedRun | undefined {
    const run = this.#parked.get(handle);
    this.#parked.delete(handle);
    return run;
  }

  /** I2 */
  private async failed(handle: RunHandle, task: RunTask, message: DeliveredMessage, error: unknown): Promise<Outcome> {
    if (error instanceof StoreUnavailable || error instanceof StoreFull) throw error; // asked again by the queue
    if (error instanceof AgentUnknown) return this.endOrPassOn(handle, task, message, error);
    if (message.hasStalled()) return leave;
    this.notes.moveFailed(task, error);
    const failures = (this.#failures.get(task.runId) ?? 0) + 1;
    this.#failures.set(task.runId, failures);
    const isFinal = error instanceof PlatformError ? error.redelivery === 'park' : failures >= MOST_FAILURES;
    if (!isFinal) return retryAfter(Math.min(100 * 2 ** failures, LONGEST_PAUSE_MS));
    this.#failures.delete(task.runId);
    return this.endFailed(handle, error);
  }

  /** It goes to others, unless by then there would have been one: all workers of its agent have other versions. */
  private async endOrPassOn(
    handle: RunHandle,
    task: RunTask,
    message: DeliveredMessage,
    error: AgentUnknown,
  ): Promise<Outcome> {
    const { agent, agentVersion } = task;
    const isKnownOtherwise = error.code === 'AGENT_VERSION_GONE' && error.redelivery === 'park';
    const mayBeGone = isKnownOtherwise && message.deliveries > PASSED_ON;
    if (mayBeGone && (await this.ports.isVersionGone(agent, agentVersion))) {
      return this.endFailed(handle, error, error.code);
    }
    return this.goesToOthers(task, message, error);
  }

  private async endFailed(handle: RunHandle, cause: unknown, errorCode = 'INTERNAL_ERROR'): Promise<Outcome> {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const usage = { inputTokens: 0, outputTokens: 0 };
    const end = { summary: reason.slice(0, 500), stepsCompleted: 0, sources: [], usage, toolsUsed: [] };
    const error = { reason, errorCode };
    try {
      await handle.writer.write({ kind: 'EndGraph', ...handle.ref, result: 'FAILED', ...end, error });
      return done;
    } catch (failure) {
      if (failure instanceof StoreUnavailable || failure instanceof StoreFull) throw failure;
      if (failure instanceof RunRefused) return failure.code.startsWith('RUN_') ? done : leave;
      return park(reason); // not even that can be said: its log cannot be read
    }
  }

  /** What becomes of a message whose node is not to be run now; undefined when it is. */
  private isNotDue(handle: RunHandle, { key }: NodeTask): Outcome | undefined {
    const { run } = handle;
    const task = taskOf(run, key);
    if (hasEnded(run) || run.status === 'CANCELED_REQUESTED' || !task || !('openTools' in task)) return done;
    if (run.status === 'PAUSED') return done; // offered again when it is resumed
    if (unansweredOf(run, task).length > 0) return done; // offered again when it is answered
    if (task.state.name !== 'RETRYING') return undefined; // started already: its worker is gone, or it had no message
    const leftMs = new Date(task.state.retryAt).getTime() - this.ports.clock.now().getTime();
    return leftMs > 0 ? retryAfter(leftMs) : undefined;
  }

  private missing({ agent, agentVersion }: ReadyTask): AgentUnknown | undefined {
    try {
      this.ports.agents.get(agent, agentVersion);
      return undefined;
    } catch (error) {
      if (error instanceof AgentUnknown) return error;
      throw error;
    }
  }

  /** This worker does not have the agent. Another one takes it, now or when it is back. */
  private goesToOthers(task: RunTask | ReadyTask, { deliveries }: DeliveredMessage, error: AgentUnknown): Outcome {
    const agent = `${task.agent} ${task.agentVersion}`;
    if (!this.#missing.has(agent)) this.notes.agentMissing(task, error);
    this.#missing.add(agent);
    return retryAfter(50 * 2 ** Math.min(deliveries, 10));
  }
}

/** I1 */
const outcomeOf = (end: BodyEnd, message: TaskMessage): Outcome => {
  switch (end.kind) {
    case 'finished':
    case 'failed':
    case 'suspended':
      return done;
    case 'retries':
      return retryAfter(end.afterMs);
    case 'stopped': {
      const { why } = end;
      const isRunOver = why instanceof RunRefused ? why.code.startsWith('RUN_') : why !== 'superseded';
      return isRunOver && !message.hasStalled() ? done : leave;
    }
  }
};
