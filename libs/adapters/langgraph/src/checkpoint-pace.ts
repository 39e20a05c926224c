import type { RunEvent } from '@millrace/contracts';

/** Whether a checkpoint at `step` is worth its price, `last` being where the last one was (0 when there is none). */
export type CheckpointRule = (step: number, last: number) => boolean;

/**
 * At least 20 supersteps after the last one, and at least half as far again. A state that grows with the run is stored
 * a logarithmic number of times, and a replay is never longer than a third of the run.
 */
export const geometric: CheckpointRule = (step, last) => step - last >= Math.max(20, last / 2);

/** Which supersteps of one run get a checkpoint. */
export class CheckpointPace {
  constructor(
    private readonly rule: CheckpointRule,
    private last: number,
    /** After this step a graph could not be started again within its limit of steps. */
    private readonly latest: number,
  ) {}

  static after(history: readonly RunEvent[], rule: CheckpointRule, latest: number): CheckpointPace {
    const saved = history.flatMap((event) => (event.kind === 'CheckpointSaved' ? [event.iteration] : []));
    return new CheckpointPace(rule, Math.max(0, ...saved), latest);
  }

  isDue(step: number): boolean {
    if (step <= this.last || step > this.latest || !this.rule(step, this.last)) return false;
    this.last = step;
    return true;
  }
}
