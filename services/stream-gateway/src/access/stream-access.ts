import type { RunId, TenantId } from '@millrace/contracts';
import { Forbidden, type StreamTicket, StreamTickets, TokenVerifier, Unauthenticated } from '@millrace/nest-kit/http';
import { TicketLedger } from '@millrace/ports';
import { RunRefused } from '@millrace/run-domain';
import { TicketUsed } from './access-errors.js';
import { type StreamSession, StreamSessions } from './stream-sessions.js';

export interface ShownAtTheDoor {
  readonly authorization: string | undefined;
  readonly ticket: string | undefined;
  readonly cookie: string | undefined;
  readonly path: string;
}

/** Who may go in, and until when. */
export interface Admission {
  readonly tenantId: TenantId;
  readonly expiresAt: Date;
  /**
   * To be called when nothing else stands in the way, before the first byte: uses up the ticket, for all processes. The
   * cookie to set, if there is one; rejects when the ticket was used before.
   */
  readonly redeem: () => Promise<string | undefined>;
}

/** A bearer token with `runs:read`; or a stream ticket, or the session that began with one. */
export class StreamAccess {
  constructor(
    private readonly tokens: TokenVerifier,
    private readonly tickets: StreamTickets,
    private readonly sessions: StreamSessions,
    private readonly ledger: TicketLedger,
  ) {}

  /** Access to one run. A ticket for another run is answered like a run that is not there. */
  async toRun(shown: ShownAtTheDoor, runId: RunId): Promise<Admission> {
    if (shown.authorization !== undefined || shown.ticket === undefined) return this.byToken(shown);
    const session = await this.sessions.sessionIn(shown.cookie);
    const known = session?.runId === runId ? session : undefined;
    const ticket = await this.tickets.verify(shown.ticket).catch((error: unknown) => {
      if (known === undefined) throw error;
      return undefined; // it has expired since the session began
    });
    if (ticket === undefined) return { ...known!, redeem: async () => undefined };
    if (ticket.runId !== runId) throw new RunRefused('RUN_NOT_FOUND', { runId });
    return { ...ofTicket(ticket), redeem: () => this.redeem(ticket, known, shown.path) };
  }

  /** Access to all runs of the caller's tenant: a ticket is good for one only. */
  async byToken({ authorization }: Pick<ShownAtTheDoor, 'authorization'>): Promise<Admission> {
    const [, token] = /^Bearer +([\w.~+/=-]+)$/i.exec(authorization ?? '') ?? [];
    if (token === undefined) throw new Unauthenticated('A bearer token or a stream ticket is needed');
    const { tenantId, expiresAt, scopes } = await this.tokens.verify(token);
    if (!scopes.has('runs:read')) throw new Forbidden('The token lacks the scope runs:read');
    return { tenantId, expiresAt, redeem: async () => undefined };
  }

  private async redeem(
    ticket: StreamTicket,
    known: StreamSession | undefined,
    path: string,
  ): Promise<string | undefined> {
    if (await this.ledger.redeem(ticket.id)) return this.sessions.cookieFor(ofTicket(ticket), path);
    if (known?.tenantId === ticket.tenantId) return undefined;
    throw new TicketUsed('This stream ticket was used before; ask for another');
  }
}

const ofTicket = ({ tenantId, runId, sessionExpiresAt }: StreamTicket): StreamSession => ({
  tenantId,
  runId,
  expiresAt: sessionExpiresAt,
});
