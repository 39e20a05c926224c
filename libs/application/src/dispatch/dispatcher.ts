import type { AgentRegistry } from '@millrace/agent-sdk';
import { RUN_EVENT_KINDS, type RunEventKind, type RunRef } from '@millrace/contracts';
import { PlatformError } from '@millrace/kernel';
import type { DeadLetters, EventFeed, HeldLease, Leases, RunRequests, Snapshots } from '@millrace/ports';
import { type RunCommand, RunRefused } from '@millrace/run-domain';
import { RunCommandHandler } from '../run-command-handler.js';
import type { SessionPorts } from '../run-session.js';
import { type SetAsideNotes, SetAsides } from '../set-aside.js';
import { DISPATCH_KINDS, type DispatchLimits, DispatchQueue, type DispatchSnapshot } from './dispatch-queue.js';
import { type StandingNotes, type StandingPorts, StandingRuns } from './standing-runs.js';
import { Troubles } from './troubles.js';
import type { WaitingRun } from './waiting-line.js';
import { findWaiting } from './waiting-requests.js';

export interface DispatchPorts extends StandingPorts, SessionPorts {
  readonly feed: EventFeed;
  readonly requests: RunRequests;
  readonly leases: Leases;
  readonly snapshots: Snapshots;
  readonly deadLetters: Pick<DeadLetters, 'add'>;
  readonly agents: Pick<AgentRegistry, 'latest'>;
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
}

export interface DispatchNotes extends SetAsideNotes, StandingNotes {
  leading(): void;
  /** The lease was lost, or the store is away: it stands by and tries again. */
  interrupted(cause: unknown): void;
  /** The store did not answer while runs that stand still were looked for. */
  sweepFailed(cause: unknown): void;
  /** A run could not be started, and is tried again. */
  delayed(run: RunRef, cause: unknown): void;
}

const LEASE = 'dispatcher';
/** Another name with another shape: what was saved by older code is not read. */
const SNAPSHOT = 'dispatcher-2';
const SAVE_EVERY = 2_000;
const STARTS_AT_ONCE = 16;
const STANDING_AFTER_MS = 30_000;

/**
 * Starts runs in their turn. One process at a time does; another takes over from the last snapshot and the log behind
 * it. A dispatcher that does not know yet that it was replaced can at worst exceed a cap: to start a run that has been
 * started appends nothing.
 *
 * I1  No run, event or tenant stops it: one that cannot be served is tried again later, or becomes a dead letter. Only the
 *     feed, the lease and the snapshots concern all runs; when they fail it stands by and begins again.
 */
export class Dispatcher {
  readonly #handler: RunCommandHandler;
  readonly #setAsides: SetAsides;
  readonly #troubles: Troubles;
  #role: 'standby' | 'leading' = 'standby';

  constructor(
    private readonly ports: DispatchPorts,
    private readonly limits: DispatchLimits,
    private readonly notes: DispatchNotes,
  ) {
    this.#handler = new RunCommandHandler(ports);
    this.#setAsides = new SetAsides(ports.deadLetters, notes);
    this.#troubles = new Troubles(ports.clock);
  }

  get role(): 'standby' | 'leading' {
    return this.#role;
  }

  /** Until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      let lease: HeldLease | undefined;
      try {
        lease = await this.ports.leases.acquire(LEASE, signal);
        if (!lease) return;
        this.#role = 'leading';
        this.notes.leading();
        await this.lead(AbortSignal.any([signal, lease.lost]));
        if (!signal.aborted) this.notes.interrupted(lease.lost.reason);
      } catch (error) {
        if (signal.aborted) return;
        this.notes.interrupted(error);
        await this.ports.pause(500, signal);
      } finally {
        this.#role = 'standby';
        await lease?.release();
      }
    }
  }

  private async lead(stopped: AbortSignal): Promise<void> {
    const saved = (await this.ports.snapshots.load(SNAPSHOT)) as SavedDispatch | undefined;
    const queue = saved ? DispatchQueue.from(saved, this.limits) : new DispatchQueue(this.limits);
    const signal = new DispatchSignal();
    const stop = AbortSignal.any([stopped, signal.failed]);
    const pumping = this.pump(queue, signal, stop);
    const sweeping = this.sweep(queue, stop);
    try {
      await this.follow(queue, saved?.streamSequence ?? 0, signal, stop);
    } finally {
      signal.raise(); // the pump sees that it is to stop
      await Promise.all([pumping, sweeping]);
    }
    if (signal.failed.aborted) throw signal.failed.reason;
  }

  private async follow(queue: DispatchQueue, from: number, signal: DispatchSignal, stop: AbortSignal): Promise<void> {
    let savedAt = from;
    const wanted = { afterStreamSequence: from, exclude: IGNORED, signal: stop };
    for await (const batch of this.ports.feed.batches(wanted)) {
      for (const stored of batch) {
        if ('event' in stored && 'runId' in stored.event) queue.evolve(stored.event, stored.streamSequence);
      }
      signal.raise();
      const streamSequence = batch.at(-1)?.streamSequence ?? savedAt;
      if (streamSequence - savedAt < SAVE_EVERY) continue;
      await this.ports.snapshots.save(SNAPSHOT, { streamSequence, ...queue.snapshot });
      savedAt = streamSequence;
    }
  }

  /** Starts what may start whenever something changed, a start rate allows the next, or a delayed run is due. */
  private async pump(queue: DispatchQueue, signal: DispatchSignal, stop: AbortSignal): Promise<void> {
    try {
      while (!stop.aborted) {
        for (const run of queue.aside) if (this.#troubles.isDue(run)) queue.putBack(run);
        await this.startAll(queue, stop);
        const told = await this.queueSome(queue);
        const read = await this.refill(queue);
        if (told + read > 0) continue; // between two handfuls a run of another tenant may have come
        const now = this.ports.clock.now().getTime();
        const waitMs = Math.min(queue.nextStartInMs(now) ?? Infinity, this.#troubles.nextInMs ?? Infinity);
        await signal.wait(Number.isFinite(waitMs) ? this.ports.pause(Math.max(waitMs, 5), stop) : undefined);
      }
    } catch (error) {
      signal.fail(error);
    }
  }

  /** Looks now and then for runs that stand still. What fails is looked at again the next time. */
  private async sweep(queue: DispatchQueue, stop: AbortSignal): Promise<void> {
    const { standingAfterMs = STANDING_AFTER_MS } = this.limits;
    const standing = new StandingRuns(this.ports, this.notes, standingAfterMs);
    while (!stop.aborted) {
      await this.ports.pause(standingAfterMs / 4, stop);
      if (stop.aborted) return;
      try {
        for (const run of await standing.look(queue.moving)) queue.ended(run);
      } catch (error) {
        this.notes.sweepFailed(error);
      }
    }
  }

  private async startAll(queue: DispatchQueue, stop: AbortSignal): Promise<void> {
    for (;;) {
      const batch: WaitingRun[] = [];
      while (batch.length < STARTS_AT_ONCE && !stop.aborted) {
        const run = queue.next(this.ports.clock.now().getTime());
        if (!run) break;
        batch.push(run);
      }
      if (batch.length === 0) return;
      await Promise.all(batch.map((run) => this.start(queue, run)));
    }
  }

  private async start(queue: DispatchQueue, run: WaitingRun): Promise<void> {
    try {
      const isStarted = await this.startOrRefuse(run);
      if (!isStarted) queue.giveBack(run); // another dispatcher was first, and the feed tells; or it has ended
      this.#troubles.over(run);
    } catch (error) {
      queue.putAside(run);
      if (!(await this.isGivenUp(run, error))) return;
      queue.forget(run);
    }
  }

  /** Whether something was appended that the feed will tell of. */
  private async startOrRefuse({ tenantId, runId, agent, streamSequence }: WaitingRun): Promise<boolean> {
    try {
      const command = this.commandFor({ tenantId, runId }, agent);
      const { appended } = await this.#handler.handle(command, streamSequence);
      return appended.length > 0;
    } catch (error) {
      if (error instanceof RunRefused) return false; // canceled or ended meanwhile
      throw error;
    }
  }

  private commandFor(run: RunRef, agent: string): RunCommand {
    try {
      return { kind: 'StartRun', ...run, agentVersion: this.ports.agents.latest(agent).version };
    } catch (error) {
      if (!isUnknownAgent(error)) throw error;
      return { kind: 'FailRun', ...run, errorCode: error.code, reason: error.message };
    }
  }

  /** I1. False while it is to be tried again. */
  private async isGivenUp(run: WaitingRun, cause: unknown): Promise<boolean> {
    const attempts = this.#troubles.failuresOf(run) + 1;
    if (this.#troubles.failed(run, cause).kind === 'again') {
      this.notes.delayed(run, cause);
      return false;
    }
    const { tenantId, runId, streamSequence: place } = run;
    const of = { tenantId, runId };
    try {
      await this.#setAsides.add({ loop: 'dispatcher', run: of, kind: 'RunRequested', place, attempts, error: cause });
      return true;
    } catch (error) {
      this.#troubles.failed(run, error); // its dead letter could not be stored: all of it is tried again
      this.notes.delayed(run, error);
      return false;
    }
  }

  /** Runs that have to wait are told so, once. Resolves with how many were. */
  private async queueSome(queue: DispatchQueue): Promise<number> {
    const runs = queue.unqueued(STARTS_AT_ONCE);
    await Promise.all(
      runs.map(async ({ tenantId, runId, streamSequence }) => {
        try {
          await this.#handler.handle({ kind: 'QueueRun', tenantId, runId, waitingFor: 'slot' }, streamSequence);
        } catch (error) {
          // Nothing depends on it: the run waits all the same, and what ails it is dealt with when it is to start.
          if (!(error instanceof RunRefused)) this.notes.delayed({ tenantId, runId }, error);
        }
        queue.queued({ tenantId, runId });
      }),
    );
    return runs.length;
  }

  /** Lines that have become short are read from the log. Resolves with how many were. */
  private async refill(queue: DispatchQueue): Promise<number> {
    let read = 0;
    for (const line of queue.wanted()) {
      const asOne = { tenantId: line.tenantId, runId: `line of ${line.tenantId}` as RunRef['runId'] };
      if (!this.#troubles.isDue(asOne)) continue;
      try {
        const { through, runs, unreadable } = await findWaiting(this.ports, line.tenantId, line);
        for (const { run, place, error } of unreadable) {
          await this.#setAsides.add({ loop: 'dispatcher', run, kind: 'RunRequested', place, attempts: 1, error });
        }
        queue.refill(line, through, runs);
        this.#troubles.over(asOne);
        read += 1;
      } catch (error) {
        this.#troubles.failed(asOne, error);
        this.notes.delayed(asOne, error);
      }
    }
    return read;
  }
}

type SavedDispatch = DispatchSnapshot & { readonly streamSequence: number };

const IGNORED: RunEventKind[] = RUN_EVENT_KINDS.filter((kind) => !(DISPATCH_KINDS as readonly string[]).includes(kind));

const isUnknownAgent = (error: unknown): error is PlatformError =>
  error instanceof PlatformError && error.code === 'AGENT_NOT_FOUND';

/** Between the part that reads the log and the part that starts runs. */
class DispatchSignal {
  readonly #failed = new AbortController();
  #isRaised = false;
  #wake: (() => void) | undefined;

  /** Aborts when no more runs can be started. */
  get failed(): AbortSignal {
    return this.#failed.signal;
  }

  fail(error: unknown): void {
    this.#failed.abort(error);
  }

  raise(): void {
    this.#isRaised = true;
    this.#wake?.();
  }

  async wait(orElse: Promise<void> | undefined): Promise<void> {
    if (!this.#isRaised) {
      const raised = new Promise<void>((resolve) => (this.#wake = resolve));
      await (orElse ? Promise.race([raised, orElse]) : raised);
    }
    this.#isRaised = false;
    this.#wake = undefined;
  }
}
