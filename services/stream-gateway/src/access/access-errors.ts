import { PlatformError } from '@millrace/kernel';

/** A ticket is good once, and this one was used by somebody else, or by a browser that kept no cookie. */
export class TicketUsed extends PlatformError {
  readonly code = 'TICKET_USED';
  readonly redelivery = 'park';
}
