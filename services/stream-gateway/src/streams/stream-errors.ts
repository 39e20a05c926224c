import { PlatformError } from '@millrace/kernel';

/** One tenant has as many streams open as it may. */
export class TooManyStreams extends PlatformError {
  readonly code = 'TOO_MANY_STREAMS';
  readonly redelivery = 'retry';
}

/** The process has as many streams open as it can. */
export class GatewayFull extends PlatformError {
  readonly code = 'GATEWAY_FULL';
  readonly redelivery = 'retry';
}

/** The process takes no more streams, because it is about to end. */
export class ShuttingDown extends PlatformError {
  readonly code = 'SHUTTING_DOWN';
  readonly redelivery = 'retry';
}
