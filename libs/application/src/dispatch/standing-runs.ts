import { type RunEventOf, type RunRef, subjects } from '@millrace/contracts';
import type { Clock, KnownAgents, RunLog, TaskQueue } from '@millrace/ports';
import { fold, hasEnded, openTasks, type Run, unansweredOf } from '@millrace/run-domain';
import type { SetAsides } from '../set-aside.js';
import { Troubles } from './troubles.js';

export interface StandingPorts {
  readonly log: RunLog;
  readonly tasks: Pick<TaskQueue, 'has'>;
  readonly clock: Clock;
  readonly agents: Pick<KnownAgents, 'isServed'>;
  readonly setAsides: Pick<SetAsides, 'add'>;
  /** Lets the run move again. */
  readonly wake: (run: RunRef) => Promise<void>;
}

export interface StandingNotes {
  /** A run stood still, and is woken. */
  standing(run: RunRef, status: Run['status']): void;
  /** The store did not answer while runs that stand still were looked for: they are looked at the next time. */
  sweepFailed(cause: unknown): void;
}

export interface StrandedRun {
  readonly run: RunRef;
  /** Why no worker can move it, as long as that is not mended. */
  readonly cause: string;
}

export interface Looked {
  /** They have ended, as the log says, or were set aside. */
  readonly over: readonly RunRef[];
  readonly stranded: readonly StrandedRun[];
}

interface Look {
  readonly position: number;
  readonly at: number;
}

/** So many runs are looked at in one go, so that a thousand long bodies cost a few reads a second and not a burst. */
const AT_ONCE = 32;
/** A run's start is among its first events: before it come its request, its improvement, and that it waits. */
const FIRST_EVENTS = 8;

type Verdict = 'moves' | 'over' | StrandedRun;

/**
 * The second net under runs that move: whatever lost the message that would have moved one, it is found here. A run
 * stands still when it has not ended, waits for neither a person nor a resume, has no message in the queue, and its
 * history has not grown between two looks.
 *
 * I1  Looks are compared by this process's own clock, and histories by their position: no other clock is trusted.
 * I2  To wake a run that moves after all does no harm: what it would do is done already, or is refused.
 * I3  A run that cannot be looked at keeps no other from being looked at: it is set aside, and looked at no more.
 */
export class StandingRuns {
  readonly #looks = new Map<string, Look>();
  readonly #troubles: Troubles;

  constructor(
    private readonly ports: StandingPorts,
    private readonly notes: StandingNotes,
    private readonly afterMs: number,
  ) {
    this.#troubles = new Troubles(ports.clock);
  }

  /** `moving` are all runs that should move. */
  async look(moving: readonly RunRef[]): Promise<Looked> {
    const known = new Set(moving.map(({ runId }) => runId as string));
    for (const runId of this.#looks.keys()) if (!known.has(runId)) this.#looks.delete(runId);
    const now = this.ports.clock.now().getTime();
    const due = moving.filter(({ runId }) => now - (this.#looks.get(runId)?.at ?? -Infinity) >= this.afterMs);
    const verdicts = await Promise.all(
      due.slice(0, AT_ONCE).map(async (run) => [run, await this.judged(run)] as const),
    );
    return {
      over: verdicts.flatMap(([run, verdict]) => (verdict === 'over' ? [run] : [])),
      stranded: verdicts.flatMap(([, verdict]) => (typeof verdict === 'object' ? [verdict] : [])),
    };
  }

  /** I3 */
  private async judged(run: RunRef): Promise<Verdict> {
    try {
      const verdict = await this.verdictOn(run);
      this.#troubles.over(run);
      return verdict;
    } catch (error) {
      const attempts = this.#troubles.failuresOf(run) + 1;
      const { kind } = this.#troubles.failed(run, error);
      if (kind === 'give up' && (await this.isSetAside(run, attempts, error))) return 'over';
      if (kind === 'again') this.notes.sweepFailed(error);
      return 'moves';
    }
  }

  private async isSetAside(run: RunRef, attempts: number, error: unknown): Promise<boolean> {
    try {
      await this.ports.setAsides.add({ loop: 'sweep', run, subject: subjects.run(run), place: 0, attempts, error });
      return true;
    } catch (failure) {
      this.notes.sweepFailed(failure);
      return false;
    }
  }

  private async verdictOn(run: RunRef): Promise<Verdict> {
    const { log, tasks, clock } = this.ports;
    const before = this.#looks.get(run.runId);
    this.#looks.set(run.runId, { position: -1, at: clock.now().getTime() }); // also when it cannot be looked at
    const { position } = await log.tail(run, { atLeast: 'now' });
    this.#looks.set(run.runId, { position, at: clock.now().getTime() });
    if (before?.position !== position) return 'moves';
    if (await tasks.has(run)) return this.withMessage(run);
    const { events } = await log.read(run, undefined, { atLeast: 'now' });
    const found = fold(events);
    if (hasEnded(found)) return 'over';
    if (events.length - 1 !== position || !shouldMove(found)) return 'moves';
    const started = events.find((event) => event.kind === 'RunStarted');
    if (started && !this.isServed(started)) return stranded(run, started); // woken once there is a worker for it
    this.notes.standing(run, found.status);
    await this.ports.wake(run);
    return 'moves';
  }

  /** It has a message and does not move: perhaps its node takes long, perhaps no worker has its agent. */
  private async withMessage(run: RunRef): Promise<Verdict> {
    const { events } = await this.ports.log.read(run, undefined, { limit: FIRST_EVENTS });
    const started = events.find((event) => event.kind === 'RunStarted');
    return !started || this.isServed(started) ? 'moves' : stranded(run, started);
  }

  private isServed({ agent, agentVersion }: RunEventOf<'RunStarted'>): boolean {
    return this.ports.agents.isServed(agent, agentVersion);
  }
}

const stranded = (run: RunRef, { agent, agentVersion }: RunEventOf<'RunStarted'>): StrandedRun => ({
  run,
  cause: `no worker has agent ${agent} ${agentVersion}`,
});

/** What follows from the history is up to a process of ours, and not to a person or to time. */
const shouldMove = (run: Run): boolean => {
  switch (run.status) {
    case 'PENDING':
    case 'QUEUED':
      return run.goalAchieved; // else it waits for a slot, which the dispatcher gives
    case 'CANCELED_REQUESTED':
      return true;
    case 'DISPATCHED':
    case 'RUNNING': {
      const open = openTasks(run);
      return open.length === 0 || open.some((task) => unansweredOf(run, task).length === 0);
    }
    case 'ABSENT':
    case 'PAUSED':
    case 'SUCCEEDED':
    case 'FAILED':
    case 'CANCELED':
      return false;
  }
};
