import { PlatformError } from '@millrace/kernel';

/** The rows come from another log than the one that was read, or that log was cut. */
export class LogTooShort extends PlatformError {
  readonly code = 'REBUILD_LOG_TOO_SHORT';
  readonly redelivery = 'park';

  constructor(logEnd: number, position: number) {
    super(
      `The log ends at ${logEnd}, the rows stand at ${position}: they were not made from this log. ` +
        'Check NATS_URL and DATABASE_URL; nothing was changed',
    );
  }
}

export class TablesInUse extends PlatformError {
  readonly code = 'REBUILD_TABLES_IN_USE';
  readonly redelivery = 'retry';

  constructor(waitedMs: number, options: ErrorOptions) {
    super(
      `Somebody has used the tables without a break for ${waitedMs / 1_000} s, so the new ones could not take their ` +
        'place. The old rows serve on; end that transaction and run it again',
      options,
    );
  }
}

export class RebuildRuns extends PlatformError {
  readonly code = 'REBUILD_RUNS';
  readonly redelivery = 'retry';

  constructor() {
    super('Another rebuild of this database is under way; wait for it, or end it');
  }
}

export class RebuildInterrupted extends PlatformError {
  readonly code = 'REBUILD_INTERRUPTED';
  readonly redelivery = 'retry';

  constructor() {
    super('Interrupted. The old rows serve on');
  }
}
