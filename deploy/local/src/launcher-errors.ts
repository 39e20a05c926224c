import { PlatformError } from '@millrace/kernel';

/** A launcher runs in this folder already. */
export class AlreadyRunning extends PlatformError {
  readonly code = 'ALREADY_RUNNING';
  readonly redelivery = 'park';
}

/** A service ended, or did not become ready, while the stack was starting. */
export class ServiceNotReady extends PlatformError {
  readonly code = 'SERVICE_NOT_READY';
  readonly redelivery = 'retry';
}

/** A file of ours holds something else than we wrote. */
export class FileUnreadable extends PlatformError {
  readonly code = 'FILE_UNREADABLE';
  readonly redelivery = 'park';
}

/** What lies in the folder was written by another sort of stack. */
export class OtherData extends PlatformError {
  readonly code = 'OTHER_DATA';
  readonly redelivery = 'park';
}

/** The command line makes no sense. */
export class UsageWrong extends PlatformError {
  readonly code = 'USAGE_WRONG';
  readonly redelivery = 'park';
}
