import type { RunDetail, RunEvent, RunLogLine, RunRef, RunSaidMessage, RunStep, TrailLine } from '@millrace/contracts';

export interface PublicPage {
  readonly events: RunEvent[];
  readonly hasMore: boolean;
}

/**
 * What can be asked about one run. Each rejects with RunRefused RUN_NOT_FOUND for a run nobody has requested, and for
 * another tenant's in the same words. A run is known as soon as its request is stored.
 */
export abstract class RunQueries {
  /** Resolves when there is such a run. */
  abstract requireRun(ref: RunRef): Promise<unknown>;
  abstract detail(ref: RunRef): Promise<RunDetail>;
  /** What clients may see, from a sequence (inclusive) on. */
  abstract events(ref: RunRef, fromSequence: number, limit: number): Promise<PublicPage>;
  abstract steps(ref: RunRef): Promise<RunStep[]>;
  abstract messages(ref: RunRef): Promise<RunSaidMessage[]>;
  /** One line for each public event that tells a person something. */
  abstract trail(ref: RunRef): Promise<TrailLine[]>;
  abstract logs(ref: RunRef): Promise<RunLogLine[]>;
}
