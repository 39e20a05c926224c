import { subjects } from '@millrace/contracts';
import { TicketLedger, TicketLedgerUnavailable } from '@millrace/ports';
import { type JetStreamClient, jetstream } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/nats-core';
import { isWrongLastSequence } from './api-codes.js';
import { STREAMS } from './topology.js';

/** A used ticket is a message on its subject. The server takes the first and refuses the rest, whoever sends them. */
export class JetStreamTicketLedger extends TicketLedger {
  readonly #js: JetStreamClient;

  constructor(nats: NatsConnection, timeoutMs = 5_000) {
    super();
    this.#js = jetstream(nats, { timeout: timeoutMs });
  }

  async redeem(ticketId: string): Promise<boolean> {
    try {
      await this.#js.publish(subjects.ticket(ticketId), '', { expect: { lastSubjectSequence: 0 } });
      return true;
    } catch (cause) {
      if (isWrongLastSequence(cause)) return false;
      throw new TicketLedgerUnavailable(`Stream ${STREAMS.tickets} took no ticket (${String(cause)})`, { cause });
    }
  }
}
