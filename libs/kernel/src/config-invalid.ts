import { PlatformError } from './platform-error.js';

/** Every bad variable at once, so that a person fixes them in one go. */
export class ConfigInvalid extends PlatformError {
  readonly code = 'CONFIG_INVALID';
  readonly redelivery = 'park';

  constructor(problems: string) {
    super(`The configuration cannot be used:\n${problems}`);
  }
}
