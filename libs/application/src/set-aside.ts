import { type RunEventKind, type RunRef, subjects } from '@millrace/contracts';
import { PlatformError } from '@millrace/kernel';
import type { DeadLetters, StorePlace } from '@millrace/ports';

/** The parts of the platform that serve all runs and must not stop for one. */
export type Loop = 'dispatcher' | 'conductor' | 'projector' | 'gateway' | 'retries' | 'sweep';

/** Something one loop could not handle, and goes on without. */
export interface SetAside {
  readonly loop: Loop;
  readonly run: RunRef;
  /** The event that led to it, and where it lies. */
  readonly kind: RunEventKind;
  readonly place: StorePlace;
  readonly attempts: number;
  readonly error: unknown;
}

export interface SetAsideNotes {
  /** One log line and one count. */
  setAside(what: SetAside): void;
}

/** What is set aside is said once, and kept as a dead letter until a person looks. */
export class SetAsides {
  constructor(
    private readonly deadLetters: Pick<DeadLetters, 'add'>,
    private readonly notes: SetAsideNotes,
  ) {}

  /** Resolves once the dead letter is stored; only then may the loop forget the run. */
  async add(what: SetAside): Promise<void> {
    const { loop: consumer, run, kind, place: streamSequence, attempts, error } = what;
    await this.deadLetters.add({
      consumer,
      reason: reasonOf(error),
      attempts,
      subject: subjects.event({ ...run, kind }),
      stream: 'RUNS',
      streamSequence,
      data: new TextEncoder().encode(JSON.stringify({ tenantId: run.tenantId, runId: run.runId, kind })),
    });
    this.notes.setAside(what);
  }
}

export const reasonOf = (error: unknown): string => {
  const message = error instanceof Error ? error.message : String(error);
  return error instanceof PlatformError ? `${message} [${error.code}]` : message;
};
