import { PlatformError } from '@millrace/kernel';
import type { LoggerService } from '@nestjs/common';

/** Says once that something fails, however often it is tried again; what it does once it works again it says itself. */
export class OutageLog {
  #failing: string | undefined;

  constructor(private readonly log: Pick<LoggerService, 'warn' | 'error'>) {}

  /** Why it does not work at present; undefined while it does. */
  get reason(): string | undefined {
    return this.#failing;
  }

  failed(error: unknown): void {
    const isKnown = error instanceof PlatformError;
    const reason = isKnown ? `${error.message} [${error.code}]` : String(error);
    if (reason === this.#failing) return;
    this.#failing = reason;
    if (isKnown) this.log.warn(`${reason}; trying again`);
    else this.log.error(`${reason}; trying again`, error instanceof Error ? error.stack : undefined);
  }

  recovered(): void {
    this.#failing = undefined;
  }
}
