import { reasonOf, type SetAside, type SetAsideNotes } from '@millrace/application';
import { PlatformError } from '@millrace/kernel';
import { Logger } from '@nestjs/common';
import { codeOf, countSetAside } from './counts.js';

/** One log line and one count for everything a loop goes on without. */
export class SetAsideLog implements SetAsideNotes {
  readonly #log: Pick<Logger, 'error'>;

  constructor(log: Pick<Logger, 'error'> | string) {
    this.#log = typeof log === 'string' ? new Logger(log) : log;
  }

  setAside({ loop, run, subject, place, attempts, error }: SetAside): void {
    countSetAside(loop, error);
    const whose = run ? `Run ${run.runId}` : 'What belongs to no run';
    const message = `${whose} is set aside by ${loop}, which goes on without it: ${reasonOf(error).slice(0, 2_000)}`;
    const about = { loop, ...run, subject, place, attempts, reason: codeOf(error), stack: stackOf(error) };
    this.#log.error({ message, ...about });
  }
}

/** Errors of ours say where they come from by their code. */
const stackOf = (error: unknown): string | undefined =>
  error instanceof Error && !(error instanceof PlatformError) ? error.stack : undefined;
