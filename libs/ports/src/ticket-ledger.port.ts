import { PlatformError } from '@millrace/kernel';

/** Which stream tickets were used, by whichever process. */
export abstract class TicketLedger {
  /** True for the first who asks for this ticket, and false for everybody after; stored before it resolves. */
  abstract redeem(ticketId: string): Promise<boolean>;
}

/** Whether the ticket was used is not known, so it is not taken. */
export class TicketLedgerUnavailable extends PlatformError {
  readonly code = 'TICKET_LEDGER_UNAVAILABLE';
  readonly redelivery = 'retry';
}
