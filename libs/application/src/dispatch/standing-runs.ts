import type { RunRef } from '@millrace/contracts';
import type { Clock, RunLog, TaskQueue } from '@millrace/ports';
import { fold, hasEnded, openTasks, type Run, unansweredOf } from '@millrace/run-domain';

export interface StandingPorts {
  readonly log: RunLog;
  readonly tasks: Pick<TaskQueue, 'has'>;
  readonly clock: Clock;
  /** Lets the run move again. */
  readonly wake: (run: RunRef) => Promise<void>;
}

export interface StandingNotes {
  /** A run stood still, and is woken. */
  standing(run: RunRef, status: Run['status']): void;
}

interface Look {
  readonly position: number;
  readonly at: number;
}

/** So many runs are looked at in one go, so that a thousand long bodies cost a few reads a second and not a burst. */
const AT_ONCE = 32;

/**
 * The second net under runs that move: whatever lost the message that would have moved one, it is found here. A run
 * stands still when it has not ended, waits for neither a person nor a resume, has no message in the queue, and its
 * history has not grown between two looks.
 *
 * I1  Looks are compared by this process's own clock, and histories by their position: no other clock is trusted.
 * I2  To wake a run that moves after all does no harm: what it would do is done already, or is refused.
 */
export class StandingRuns {
  readonly #looks = new Map<string, Look>();

  constructor(
    private readonly ports: StandingPorts,
    private readonly notes: StandingNotes,
    private readonly afterMs: number,
  ) {}

  /** `moving` are all runs that should move. Resolves with those of them that have ended, as the log says. */
  async look(moving: readonly RunRef[]): Promise<readonly RunRef[]> {
    const known = new Set(moving.map(({ runId }) => runId as string));
    for (const runId of this.#looks.keys()) if (!known.has(runId)) this.#looks.delete(runId);
    const now = this.ports.clock.now().getTime();
    const due = moving.filter(({ runId }) => now - (this.#looks.get(runId)?.at ?? -Infinity) >= this.afterMs);
    const looked = await Promise.all(
      due.slice(0, AT_ONCE).map(async (run) => ((await this.hasEnded(run)) ? [run] : [])),
    );
    return looked.flat();
  }

  private async hasEnded(run: RunRef): Promise<boolean> {
    const { log, tasks, clock } = this.ports;
    const before = this.#looks.get(run.runId);
    const { position } = await log.tail(run, { atLeast: 'now' });
    this.#looks.set(run.runId, { position, at: clock.now().getTime() });
    if (before?.position !== position || (await tasks.has(run))) return false;
    const { events } = await log.read(run, undefined, { atLeast: 'now' });
    const found = fold(events);
    if (hasEnded(found)) return true;
    if (events.length - 1 !== position || !shouldMove(found)) return false;
    this.notes.standing(run, found.status);
    await this.ports.wake(run);
    return false;
  }
}

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
