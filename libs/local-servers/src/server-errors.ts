import { PlatformError } from '@millrace/kernel';

/** No usable nats-server: there is none to be had, or the one that was asked for is too old. */
export class NatsServerMissing extends PlatformError {
  readonly code = 'NATS_SERVER_MISSING';
  readonly redelivery = 'park';
}

/** No PostgreSQL for this machine among the installed packages. */
export class PostgresMissing extends PlatformError {
  readonly code = 'POSTGRES_MISSING';
  readonly redelivery = 'park';
}

/** Somebody else listens on the port that was asked for. */
export class PortTaken extends PlatformError {
  readonly code = 'PORT_TAKEN';
  readonly redelivery = 'park';

  constructor(
    readonly port: number,
    options?: ErrorOptions,
  ) {
    super(`Port ${port} is taken: stop what listens there or choose another port`, options);
  }
}

/** The process ended, or said nothing for too long, before it was ready. The message ends with what it printed. */
export class ServerNotStarted extends PlatformError {
  readonly code = 'SERVER_NOT_STARTED';
  readonly redelivery = 'retry';

  constructor(
    message: string,
    /** The last it printed: what a caller looks at to tell one failure from another. */
    readonly output: string,
  ) {
    super(output.trim() === '' ? message : `${message}:\n${output.trim()}`);
  }
}
