import { subjects } from '@millrace/contracts';
import { TicketLedger, TicketLedgerUnavailable } from '@millrace/ports';
import type { ProcessParts } from './process-parts.js';

export class MemoryTicketLedger extends TicketLedger {
  constructor(private readonly parts: ProcessParts) {
    super();
  }

  async redeem(ticketId: string): Promise<boolean> {
    const { store, wire } = this.parts;
    const ticket = subjects.ticket(ticketId);
    const isFirst = () => !store.tickets.has(ticket) && store.tickets.add(ticket) !== undefined;
    return wire.ask('write', isFirst, (why) => new TicketLedgerUnavailable(`The store of tickets ${why}`));
  }
}
