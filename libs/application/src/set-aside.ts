import type { RunRef } from '@millrace/contracts';
import { PlatformError } from '@millrace/kernel';
import type { ConsumerName, DeadLetters, StorePlace } from '@millrace/ports';

/** The parts of the platform that serve all runs and must not stop for one. Dead letters carry the name. */
export type Loop = ConsumerName | 'dispatcher' | 'sweep' | 'projector' | 'run-streams' | 'tenant-feed';

/** Something one loop could not handle, and goes on without. */
export interface SetAside {
  readonly loop: Loop;
  /** Whose it is; undefined when not even its subject tells. */
  readonly run: RunRef | undefined;
  /** Of the message; where it is not known which one, that of all of the run. */
  readonly subject: string;
  /** Where it lies; 0 when that is not known. */
  readonly place: StorePlace;
  readonly attempts: number;
  readonly error: unknown;
}

export interface SetAsideNotes {
  /** One log line and one count. */
  setAside(what: SetAside): void;
}

const MOST_REMEMBERED = 10_000;

/** What is set aside is said once, and kept as a dead letter until a person looks. */
export class SetAsides {
  readonly #told = new Set<string>();

  constructor(
    private readonly deadLetters: Pick<DeadLetters, 'add'>,
    private readonly notes: SetAsideNotes,
  ) {}

  /** Resolves once the dead letter is stored; only then may the loop forget it. */
  async add(what: SetAside): Promise<void> {
    const { loop, run, subject, place, attempts, error } = what;
    const key = `${loop} ${place} ${subject}`;
    if (this.#told.has(key)) return;
    this.remember(key);
    const about = { consumer: loop, reason: reasonOf(error), attempts, subject, stream: 'RUNS' };
    const data = new TextEncoder().encode(JSON.stringify({ tenantId: run?.tenantId, runId: run?.runId }));
    try {
      await this.deadLetters.add({ ...about, streamSequence: place, data });
    } catch (failure) {
      this.#told.delete(key); // it was not told, and is tried again
      throw failure;
    }
    this.notes.setAside(what);
  }

  private remember(key: string): void {
    this.#told.add(key);
    const [oldest] = this.#told;
    if (this.#told.size > MOST_REMEMBERED && oldest !== undefined) this.#told.delete(oldest);
  }
}

export const reasonOf = (error: unknown): string => {
  const message = error instanceof Error ? error.message : String(error);
  return error instanceof PlatformError ? `${message} [${error.code}]` : message;
};
