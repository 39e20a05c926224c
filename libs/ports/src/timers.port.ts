import type { RunRef } from '@millrace/contracts';

/** Rings somewhere in the platform when the time has come, whichever processes live then. */
export abstract class Timers {
  /** Setting the same one again changes its time. A time that has passed rings at once. */
  abstract set(run: RunRef, name: string, at: Date): Promise<void>;
}
