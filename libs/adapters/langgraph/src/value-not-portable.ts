import { PlatformError } from '@millrace/kernel';

/** A value that would not be the same after a way through the log. */
export class ValueNotPortable extends PlatformError {
  readonly code = 'VALUE_NOT_PORTABLE';
  readonly redelivery = 'park';

  constructor(
    readonly what: string,
    readonly path: readonly string[] = [],
  ) {
    super(`${path.length === 0 ? 'The value' : path.join('.')}: ${what} cannot be stored`);
  }

  under(key: string): ValueNotPortable {
    return new ValueNotPortable(this.what, [key, ...this.path]);
  }
}
