import { PlatformError } from '@millrace/kernel';

/** Nobody we know: no token, or none that is good. */
export class Unauthenticated extends PlatformError {
  readonly code = 'UNAUTHENTICATED';
  readonly redelivery = 'park';
}

/** Somebody we know, who may not do this. */
export class Forbidden extends PlatformError {
  readonly code = 'FORBIDDEN';
  readonly redelivery = 'park';
}

/** Whether the token is good cannot be told at present. */
export class KeysUnavailable extends PlatformError {
  readonly code = 'KEYS_UNAVAILABLE';
  readonly redelivery = 'retry';
}
