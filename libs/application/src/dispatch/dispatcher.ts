import type { AgentRegistry } from '@millrace/agent-sdk';
import { RUN_EVENT_KINDS, type RunEventKind } from '@millrace/contracts';
import { PlatformError } from '@millrace/kernel';
import type { EventFeed, HeldLease, Leases, RunRequests, Snapshots } from '@millrace/ports';
import { RunRefused } from '@millrace/run-domain';
import { RunCommandHandler } from '../run-command-handler.js';
import type { SessionPorts } from '../run-session.js';
import { DISPATCH_KINDS, type DispatchLimits, DispatchQueue, type DispatchSnapshot } from './dispatch-queue.js';
import type { WaitingRun } from './waiting-line.js';
import { findWaiting } from './waiting-requests.js';

export interface DispatchPorts extends SessionPorts {
  readonly feed: EventFeed;
  readonly requests: RunRequests;
  readonly leases: Leases;
  readonly snapshots: Snapshots;
  readonly agents: AgentRegistry;
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
}

export interface DispatchNotes {
  leading(): void;
  /** The lease was lost, or the store is away: it stands by and tries again. */
  interrupted(cause: unknown): void;
}

const LEASE = 'dispatcher';
/** Another name with another shape: what was saved by older code is not read. */
const SNAPSHOT = 'dispatcher-2';
const SAVE_EVERY = 2_000;
const STARTS_AT_ONCE = 16;

/**
 * Starts runs in their turn. One process at a time does; another takes over from the last snapshot and the log behind
 * it. A dispatcher that does not know yet that it was replaced can at worst exceed a cap: to start a run that has been
 * started appends nothing.
 */
export class Dispatcher {
  readonly #handler: RunCommandHandler;
  #role: 'standby' | 'leading' = 'standby';

  constructor(
    private readonly ports: DispatchPorts,
    private readonly limits: DispatchLimits,
    private readonly notes: DispatchNotes,
  ) {
    this.#handler = new RunCommandHandler(ports);
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
    const bell = new Bell();
    const signal = AbortSignal.any([stopped, bell.failed]);
    const pumping = this.pump(queue, bell, signal);
    try {
      await this.follow(queue, saved?.streamSequence ?? 0, bell, signal);
    } finally {
      bell.ring(); // it sees that its signal has aborted
      await pumping;
    }
    if (bell.failed.aborted) throw bell.failed.reason;
  }

  private async follow(queue: DispatchQueue, from: number, bell: Bell, signal: AbortSignal): Promise<void> {
    let savedAt = from;
    for await (const batch of this.ports.feed.batches({ afterStreamSequence: from, exclude: IGNORED, signal })) {
      for (const stored of batch) {
        if ('event' in stored && 'runId' in stored.event) queue.take(stored.event, stored.streamSequence);
      }
      bell.ring();
      const streamSequence = batch.at(-1)?.streamSequence ?? savedAt;
      if (streamSequence - savedAt < SAVE_EVERY) continue;
      await this.ports.snapshots.save(SNAPSHOT, { streamSequence, ...queue.snapshot });
      savedAt = streamSequence;
    }
  }

  /** Starts what may start whenever something changed, or a start rate allows the next. */
  private async pump(queue: DispatchQueue, bell: Bell, signal: AbortSignal): Promise<void> {
    try {
      while (!signal.aborted) {
        await this.startAll(queue, signal);
        const told = await this.queueSome(queue);
        const read = await this.refill(queue);
        if (told + read > 0) continue; // between two handfuls somebody else's run may have come
        const waitMs = queue.nextStartInMs(this.ports.clock.now().getTime());
        await bell.wait(waitMs === undefined ? undefined : this.ports.pause(Math.max(waitMs, 5), signal));
      }
    } catch (error) {
      bell.fail(error);
    }
  }

  private async startAll(queue: DispatchQueue, signal: AbortSignal): Promise<void> {
    for (;;) {
      const batch: WaitingRun[] = [];
      while (batch.length < STARTS_AT_ONCE && !signal.aborted) {
        const run = queue.next(this.ports.clock.now().getTime());
        if (!run) break;
        batch.push(run);
      }
      if (batch.length === 0) return;
      await Promise.all(batch.map((run) => this.start(queue, run)));
    }
  }

  private async start(queue: DispatchQueue, run: WaitingRun): Promise<void> {
    const { tenantId, runId } = run;
    try {
      const { version: agentVersion } = this.ports.agents.latest(run.agent);
      const { appended } = await this.#handler.handle({ kind: 'StartRun', tenantId, runId, agentVersion });
      if (appended.length === 0) queue.giveBack(run); // by another dispatcher: the feed says so, or did
    } catch (error) {
      if (error instanceof RunRefused) return queue.giveBack(run); // canceled or ended meanwhile
      if (isUnknownAgent(error)) return this.refuse(run, error);
      queue.putBack(run);
      throw error;
    }
  }

  private async refuse(
    { tenantId, runId }: WaitingRun,
    { code: errorCode, message: reason }: PlatformError,
  ): Promise<void> {
    await this.#handler.handle({ kind: 'FailRun', tenantId, runId, errorCode, reason });
  }

  /** Who has to wait is told so, once. Gives back how many were. */
  private async queueSome(queue: DispatchQueue): Promise<number> {
    const runs = queue.unqueued(STARTS_AT_ONCE);
    await Promise.all(
      runs.map(async ({ tenantId, runId }) => {
        try {
          await this.#handler.handle({ kind: 'QueueRun', tenantId, runId, waitingFor: 'slot' });
        } catch (error) {
          if (!(error instanceof RunRefused)) throw error;
        }
        queue.queued({ tenantId, runId });
      }),
    );
    return runs.length;
  }

  /** Lines that have become short are read from the log. Gives back how many there were. */
  private async refill(queue: DispatchQueue): Promise<number> {
    const wanted = queue.wanted();
    for (const line of wanted) {
      const { through, runs } = await findWaiting(this.ports, line.tenantId, line);
      queue.refill(line, through, runs);
    }
    return wanted.length;
  }
}

type SavedDispatch = DispatchSnapshot & { readonly streamSequence: number };

const IGNORED: RunEventKind[] = RUN_EVENT_KINDS.filter((kind) => !(DISPATCH_KINDS as readonly string[]).includes(kind));

const isUnknownAgent = (error: unknown): error is PlatformError =>
  error instanceof PlatformError && error.code === 'AGENT_NOT_FOUND';

/** Between the one who reads the log and the one who starts runs. */
class Bell {
  readonly #failed = new AbortController();
  #isRung = false;
  #wake: (() => void) | undefined;

  /** Aborts when no more runs can be started. */
  get failed(): AbortSignal {
    return this.#failed.signal;
  }

  fail(error: unknown): void {
    this.#failed.abort(error);
  }

  ring(): void {
    this.#isRung = true;
    this.#wake?.();
  }

  async wait(orElse: Promise<void> | undefined): Promise<void> {
    if (!this.#isRung) {
      const rung = new Promise<void>((resolve) => (this.#wake = resolve));
      await (orElse ? Promise.race([rung, orElse]) : rung);
    }
    this.#isRung = false;
    this.#wake = undefined;
  }
}
