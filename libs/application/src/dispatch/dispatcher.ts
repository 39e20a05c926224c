import {
  EventInvalid,
  RUN_EVENT_KINDS,
  type RunEvent,
  type RunEventKind,
  type RunEventOf,
  runOfSubject,
  type RunRef,
  type RunTask,
  subjects,
} from '@millrace/contracts';
import type {
  DeadLetters,
  EventFeed,
  HeldLease,
  KnownAgents,
  Leases,
  RunRequests,
  Snapshots,
  StoredEvent,
} from '@millrace/ports';
import { RunRefused } from '@millrace/run-domain';
import { RunCommandHandler } from '../run-command-handler.js';
import { RunSession, type SessionPorts } from '../run-session.js';
import { type SetAside, type SetAsideNotes, SetAsides } from '../set-aside.js';
import {
  DISPATCH_KINDS,
  type DispatchLimits,
  DispatchQueue,
  type DispatchSnapshot,
  type WantedRuns,
} from './dispatch-queue.js';
import { FedRuns } from './fed-runs.js';
import { type StandingNotes, type StandingPorts, StandingRuns } from './standing-runs.js';
import { Troubles } from './troubles.js';
import type { WaitingRun } from './waiting-line.js';
import { findWaiting, locateRequests } from './waiting-requests.js';

export interface DispatchPorts extends Omit<StandingPorts, 'setAsides'>, SessionPorts {
  readonly feed: EventFeed;
  readonly requests: RunRequests;
  readonly leases: Leases;
  readonly snapshots: Snapshots;
  readonly deadLetters: Pick<DeadLetters, 'add'>;
  readonly agents: Pick<KnownAgents, 'startable' | 'isServed' | 'onChange'>;
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  /**
   * Offers a run that was just started to the workers, with its history. Only a shortcut: what `RunStarted` calls for is
   * done by the process that is given it.
   */
  readonly offer: (task: RunTask) => Promise<void>;
}

export interface DispatchNotes extends SetAsideNotes, StandingNotes {
  leading(): void;
  /** The lease was lost, or the store is away: it stands by and tries again. */
  interrupted(cause: unknown): void;
  /** A run could not be started, and is tried again: told again only for another cause. */
  delayed(run: RunRef, cause: unknown): void;
  /** A run cannot move before its agent is back: others have its slot until then. */
  stranded(run: RunRef, cause: string): void;
  /** What was saved cannot be used: all of the log is read again. */
  snapshotUnusable(cause: unknown): void;
}

const LEASE = 'dispatcher';
/** Another name with another shape: what was saved by older code is not read. */
const SNAPSHOT = 'dispatcher-3';
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
 * I2  A run starts with the version its agent's workers have at that moment. While there is no such worker it waits, and
 *     others pass it; a worker that comes lets the dispatcher look again.
 */
export class Dispatcher {
  readonly #handler: RunCommandHandler;
  readonly #setAsides: SetAsides;
  readonly #troubles: Troubles;
  readonly #fed = new FedRuns();
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
    const { queue, from } = this.restored(await this.ports.snapshots.load(SNAPSHOT));
    const signal = new DispatchSignal();
    const stopListening = this.ports.agents.onChange(() => signal.raise()); // I2
    const stop = AbortSignal.any([stopped, signal.failed]);
    const pumping = this.pump(queue, signal, stop);
    const sweeping = this.sweep(queue, signal, stop);
    await this.follow(queue, from, signal, stop).catch((error: unknown) => signal.fail(error));
    stopListening();
    signal.raise(); // the pump sees that it is to stop
    await Promise.all([pumping, sweeping]);
    if (signal.failed.aborted) throw signal.failed.reason;
  }

  private restored(saved: unknown): { readonly queue: DispatchQueue; readonly from: number } {
    const isServed = (agent: string) => this.ports.agents.startable(agent) !== undefined;
    if (saved === undefined) return { queue: new DispatchQueue(this.limits, isServed), from: 0 };
    try {
      const { streamSequence: from, ...snapshot } = saved as SavedDispatch;
      if (!Number.isInteger(from)) throw new TypeError(`The snapshot names no place: ${from}`);
      return { queue: DispatchQueue.from(snapshot, this.limits, isServed), from };
    } catch (error) {
      this.notes.snapshotUnusable(error);
      return { queue: new DispatchQueue(this.limits, isServed), from: 0 };
    }
  }

  private async follow(queue: DispatchQueue, from: number, signal: DispatchSignal, stop: AbortSignal): Promise<void> {
    let savedAt = from;
    const wanted = { afterStreamSequence: from, exclude: IGNORED, signal: stop };
    for await (const batch of this.ports.feed.batches(wanted)) {
      const setAside = batch.flatMap((stored) => this.heard(queue, stored) ?? []);
      for (const what of setAside) await this.#setAsides.add(what); // I1
      signal.raise();
      const streamSequence = batch.at(-1)?.streamSequence ?? savedAt;
      // What was set aside is not to be met again by whoever takes over.
      if (setAside.length === 0 && streamSequence - savedAt < SAVE_EVERY) continue;
      await this.ports.snapshots.save(SNAPSHOT, { streamSequence, ...queue.snapshot });
      savedAt = streamSequence;
    }
  }

  /** What has to be set aside: of an event that cannot be read, or that the queue makes nothing of. */
  private heard(queue: DispatchQueue, stored: StoredEvent): SetAside | undefined {
    const { streamSequence: place } = stored;
    if ('invalid' in stored) return ofMessage(stored.subject, place, new EventInvalid(stored.invalid));
    const { event } = stored;
    if (!('runId' in event)) return undefined;
    try {
      queue.evolve(event, place);
      this.#fed.evolve(event, place);
      return undefined;
    } catch (error) {
      return ofMessage(subjects.event(event), place, error);
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
  private async sweep(queue: DispatchQueue, signal: DispatchSignal, stop: AbortSignal): Promise<void> {
    const { standingAfterMs = STANDING_AFTER_MS } = this.limits;
    const standing = new StandingRuns({ ...this.ports, setAsides: this.#setAsides }, this.notes, standingAfterMs);
    while (!stop.aborted) {
      await this.ports.pause(standingAfterMs / 4, stop);
      if (stop.aborted) return;
      try {
        const { over, stranded } = await standing.look(queue.moving);
        for (const run of over) queue.ended(run);
        for (const { run, cause } of stranded) if (queue.strand(run)) this.notes.stranded(run, cause);
        if (over.length + stranded.length > 0) signal.raise(); // others may have their slots
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
    const agentVersion = this.ports.agents.startable(run.agent);
    if (agentVersion === undefined) return queue.wait(run); // I2: its last worker went this very moment
    try {
      const isStarted = await this.startOrRefuse(run, agentVersion);
      if (!isStarted) queue.giveBack(run); // another dispatcher was first, and the feed tells; or it has ended
      this.#troubles.over(run);
    } catch (error) {
      queue.putAside(run);
      if (!(await this.isGivenUp(run, error))) return;
      queue.forget(run);
    }
  }

  /** Whether something was appended that the feed will tell of. */
  private async startOrRefuse(waiting: WaitingRun, agentVersion: string): Promise<boolean> {
    try {
      const history: RunEvent[] = [];
      const session = await this.open(waiting, (event) => history.push(event));
      const appended = await session.execute({ kind: 'StartRun', ...session.ref, agentVersion });
      const started = appended.at(-1);
      if (started?.kind === 'RunStarted') await this.offer(started, session, history);
      return appended.length > 0;
    } catch (error) {
      if (error instanceof RunRefused) return false; // canceled or ended meanwhile
      throw error;
    }
  }

  /** From what was fed when that is at hand: then nothing is read. */
  private async open(waiting: WaitingRun, onEvent: (event: RunEvent) => void): Promise<RunSession> {
    const fed = this.#fed.of(waiting);
    if (fed) return RunSession.seeded(this.ports, waiting, fed, onEvent);
    return RunSession.open(this.ports, waiting, { atLeast: waiting.streamSequence, onEvent });
  }

  private async offer(
    { agent, agentVersion }: RunEventOf<'RunStarted'>,
    { ref, tail: { position, sequence, places, streamSequence: place } }: RunSession,
    events: RunEvent[],
  ): Promise<void> {
    const of = { ...ref, agent, agentVersion, place };
    await this.ports.offer({
      version: '1',
      work: 'run',
      ...of,
      seed: { events, position, sequence, places: places?.toString() },
    });
  }

  /** I1. False while it is to be tried again. */
  private async isGivenUp(run: WaitingRun, cause: unknown): Promise<boolean> {
    const attempts = this.#troubles.failuresOf(run) + 1;
    const verdict = this.#troubles.failed(run, cause);
    if (verdict.kind === 'again') {
      if (verdict.isNews) this.notes.delayed(run, cause);
      return false;
    }
    try {
      await this.#setAsides.add(waitingSetAside(run, run.streamSequence, attempts, cause));
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
      runs.map(async ({ tenantId, runId, agent, streamSequence }) => {
        const waitingFor = this.ports.agents.startable(agent) === undefined ? 'worker' : 'slot';
        try {
          await this.#handler.handle({ kind: 'QueueRun', tenantId, runId, waitingFor }, streamSequence);
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
      const asOne = { tenantId: line.tenantId, runId: `line of ${line.tenantId} for ${line.agent}` as RunRef['runId'] };
      if (!this.#troubles.isDue(asOne)) continue;
      try {
        await this.readLine(queue, line);
        this.#troubles.over(asOne);
        read += 1;
      } catch (error) {
        const verdict = this.#troubles.failed(asOne, error);
        if (verdict.kind === 'give up' || verdict.isNews) this.notes.delayed(asOne, error);
      }
    }
    return read;
  }

  private async readLine(queue: DispatchQueue, line: WantedRuns): Promise<void> {
    const { tenantId, left } = line;
    if ('from' in left) {
      const { places, through } = await locateRequests(this.ports.requests, tenantId, left);
      return queue.locate(line, places, through);
    }
    const { runs, unreadable } = await findWaiting(this.ports, tenantId, left.places);
    for (const { run, place, error } of unreadable) {
      await this.#setAsides.add(waitingSetAside(run, place, 1, error));
    }
    queue.refill(line, left.places.at(-1)!, runs);
  }
}

type SavedDispatch = DispatchSnapshot & { readonly streamSequence: number };

const IGNORED: RunEventKind[] = RUN_EVENT_KINDS.filter((kind) => !(DISPATCH_KINDS as readonly string[]).includes(kind));

const ofMessage = (subject: string, place: number, error: unknown): SetAside => ({
  ...{ loop: 'dispatcher', run: runOfSubject(subject), subject, place, attempts: 1, error },
});

const waitingSetAside = ({ tenantId, runId }: RunRef, place: number, attempts: number, error: unknown): SetAside => {
  const run = { tenantId, runId };
  return { loop: 'dispatcher', run, subject: subjects.event({ ...run, kind: 'RunRequested' }), place, attempts, error };
};

/** Between the part that reads the log and the part that starts runs. */
class DispatchSignal {
  readonly #failed = new AbortController();
  #isRaised = false;
  #wake: (() => void) | undefined;

  /** Aborts when the log cannot be followed, or no more runs can be started: then neither goes on. */
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
