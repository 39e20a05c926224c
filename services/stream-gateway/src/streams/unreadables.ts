import { reasonOf, type SetAside, SetAsides } from '@millrace/application';
import { runOfSubject, type RunRef, subjects } from '@millrace/contracts';
import { PlatformError } from '@millrace/kernel';
import type { DeadLetters, UnreadableEvent } from '@millrace/ports';
import { SetAsideLog } from '@millrace/nest-kit';
import { Logger } from '@nestjs/common';

/** Of our own errors those that say that the log holds what cannot be read; others are the asker's, or pass. */
const UNREADABLE = ['EVENT_INVALID', 'BLOB_MISSING'];

/** What this gateway cannot read: told once and kept as a dead letter, while everything else is streamed on. */
export class Unreadables {
  readonly #log = new Logger('Streams');
  readonly #setAsides: SetAsides;

  constructor(deadLetters: Pick<DeadLetters, 'add'>) {
    this.#setAsides = new SetAsides(deadLetters, new SetAsideLog(this.#log));
  }

  /** Why the stream of a run ended, or could not be opened. */
  inRun({ tenantId, runId }: RunRef, error: unknown): void {
    if (error instanceof PlatformError && !UNREADABLE.includes(error.code)) return;
    const run = { tenantId, runId };
    this.tell({ loop: 'run-streams', run, subject: subjects.run(run), place: 0, attempts: 1, error });
  }

  inFeed({ subject, streamSequence: place, error }: UnreadableEvent): void {
    this.tell({ loop: 'tenant-feed', run: runOfSubject(subject), subject, place, attempts: 1, error });
  }

  /** Nobody waits for it: whoever meets the same again tells it then. */
  private tell(what: SetAside): void {
    this.#setAsides.add(what).catch((failure: unknown) => {
      const why = `${reasonOf(what.error)}; its dead letter could not be stored: ${reasonOf(failure)}`;
      this.#log.warn(`${what.subject} cannot be read: ${why}`);
    });
  }
}
