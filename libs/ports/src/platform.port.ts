import type { AgentCatalogue } from './agent-catalogue.port.js';
import type { BlobStore } from './blob-store.port.js';
import type { DeadLetters } from './dead-letters.port.js';
import type { Deliveries } from './delivery.port.js';
import type { EventFeed } from './event-feed.port.js';
import type { Clock, EventIds } from './identity.port.js';
import type { Leases, Snapshots } from './lease.port.js';
import type { RunLog } from './run-log.port.js';
import type { RunRequests } from './run-requests.port.js';
import type { RunSignals } from './run-signals.port.js';
import type { TaskQueue } from './task-queue.port.js';
import type { TenantFeed } from './tenant-feed.port.js';
import type { ThreadLog } from './thread-log.port.js';
import type { TicketLedger } from './ticket-ledger.port.js';
import type { Timers } from './timers.port.js';

/**
 * All that a process of ours needs of the store under it, opened once for each process: one log, one blob store, one
 * idea of what has been written. There is one on JetStream and one in memory, held to the same suites.
 */
export interface Platform {
  readonly runs: RunLog;
  readonly threads: ThreadLog;
  readonly requests: RunRequests;
  readonly feed: EventFeed;
  readonly tenantFeed: TenantFeed;
  readonly tasks: TaskQueue;
  readonly signals: RunSignals;
  readonly timers: Timers;
  readonly deliveries: Deliveries;
  readonly leases: Leases;
  readonly snapshots: Snapshots;
  readonly blobs: BlobStore;
  readonly tickets: TicketLedger;
  readonly deadLetters: DeadLetters;
  readonly catalogue: AgentCatalogue;
  readonly clock: Clock;
  readonly ids: EventIds;
}
