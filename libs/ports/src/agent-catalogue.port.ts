import type { AgentAnnouncement, WorkerId, WorkerPresence } from '@millrace/contracts';
import type { KnownAgents } from './known-agents.js';

/** A worker says that it lives so often; after PRESENT_FOR_MS of silence it is taken for gone. */
export const PRESENT_EVERY_MS = 10_000;
export const PRESENT_FOR_MS = 30_000;

/** What a reader of the catalogue is told beside what is in it. */
export interface CatalogueNotes {
  /** Something in the catalogue cannot be read: of another format, or damaged. It is passed over. */
  unreadable(what: string, error: unknown): void;
}

/**
 * The agents that workers have, for processes that load no agent's code. One catalogue for all tenants.
 *
 * I1  What was announced stays known, also when no worker has it any more: an agent that was announced once is never
 *     unknown again.
 * I2  The versions of an agent are in the order of their first announcements. To announce one again changes what is said
 *     of it, and not its place: a worker that starts again with an old version does not make it the newest.
 */
export abstract class AgentCatalogue {
  /** Resolves once it is stored. The same announcement made again, by whichever worker, stores nothing. */
  abstract announce(announcement: AgentAnnouncement): Promise<void>;
  /** The worker lives, and serves these; to be said again every PRESENT_EVERY_MS. */
  abstract present(presence: WorkerPresence): Promise<void>;
  /** The worker is about to end. */
  abstract withdraw(workerId: WorkerId): Promise<void>;
  /**
   * Resolves with all that was announced before, and keeps it up to date until `signal` aborts. Rejects with
   * StoreUnavailable when the catalogue cannot be read; once it was read, what is known stays while the store is away.
   */
  abstract watch(signal: AbortSignal, notes?: CatalogueNotes): Promise<KnownAgents>;
}
