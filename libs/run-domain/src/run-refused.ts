import { PlatformError } from '@millrace/kernel';
import { REFUSALS, type RefusalCode, type RunRef } from '@millrace/contracts';

/** The command makes no sense for the run as it is. Sending it again would not help. */
export class RunRefused extends PlatformError {
  readonly redelivery = 'park';

  /** `thing` names what of the run it is about, with its id, e.g. `task 3/agent`. */
  constructor(
    readonly code: RefusalCode,
    { runId }: Pick<RunRef, 'runId'>,
    thing?: string,
  ) {
    super(`Run ${runId}${thing === undefined ? '' : `, ${thing}`}: ${REFUSALS[code]}`);
  }
}
