import { PlatformError } from '@millrace/kernel';

/** Nobody answers at the address, or not to these credentials. */
export class NatsUnreachable extends PlatformError {
  readonly code = 'NATS_UNREACHABLE';
  readonly redelivery = 'retry';
}

/** The server lacks what the log stands on. */
export class NatsUnsuitable extends PlatformError {
  readonly code = 'NATS_UNSUITABLE';
  readonly redelivery = 'park';
}

/** A stream or consumer is missing or differs from its declaration. It is reported, never changed behind a back. */
export class TopologyDrifted extends PlatformError {
  readonly code = 'TOPOLOGY_DRIFTED';
  readonly redelivery = 'retry';

  constructor(
    readonly differences: readonly string[],
    fix: string,
  ) {
    super(`${differences.join('; ')}. ${fix}`);
  }
}
