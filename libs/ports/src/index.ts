export {
  EMPTY_TAIL,
  RunLog,
  RunLogConflict,
  type Appended,
  type EventDraft,
  type JoinedRun,
  type JoinOptions,
  type ReadFrom,
  type ReadOptions,
  type RunPage,
  type Tail,
} from './run-log.port.js';
export { PlaceIndex, type NamedPlace } from './place-index.js';
export { StoreFull, StoreUnavailable, type AtLeast, type StorePlace } from './store.js';
export { BlobMissing, BlobStore } from './blob-store.port.js';
export { done, leave, park, retryAfter, type Outcome } from './outcome.js';
export { Clock, EventIds } from './identity.port.js';
export { EventFeed, type FeedBacklog, type FeedStart, type StoredEvent, type StoredPlace } from './event-feed.port.js';
export { RunRequests, type RequestedRun } from './run-requests.port.js';
export { advance, stampEvent, type StampedEvent } from './event-stamp.js';
export {
  LlmFailed,
  LlmPort,
  type LlmChunk,
  type LlmContent,
  type LlmMessage,
  type LlmRequest,
  type LlmTool,
} from './llm.port.js';
export {
  GraphRuntime,
  type GraphCheckpoint,
  type GraphDriver,
  type GraphStart,
  type GraphState,
  type GraphTask,
  type NodeInterrupt,
  type NodeOutcome,
  type NodeRetryPolicy,
  type NodeRun,
  type RunningGraph,
} from './graph-runtime.port.js';
export { TaskQueue } from './task-queue.port.js';
export { RunSignals, type RunSignal } from './run-signals.port.js';
export { Timers } from './timers.port.js';
export { Leases, Snapshots, type HeldLease } from './lease.port.js';
export { ThreadLog } from './thread-log.port.js';
export {
  TenantFeed,
  type FeedEvent,
  type FeedPage,
  type FeedWanted,
  type UnreadableEvent,
} from './tenant-feed.port.js';
export { TicketLedger, TicketLedgerUnavailable } from './ticket-ledger.port.js';
export {
  CONSUMERS,
  Deliveries,
  type ConsumerName,
  type Consuming,
  type Delivery,
  type DeliveryOptions,
  type HandleDelivery,
} from './delivery.port.js';
export { DELIVERY_DEFAULTS, outcomeOf, type JudgedOutcome } from './delivery-outcome.js';
export { OVERSEEN_KINDS, RETRY_KINDS } from './consumed-kinds.js';
export { DeadLetters, type DeadLetter } from './dead-letters.port.js';
export { AgentCatalogue, PRESENT_EVERY_MS, PRESENT_FOR_MS, type CatalogueNotes } from './agent-catalogue.port.js';
export { KnownAgents, type CatalogueEntry, type KnownAgentsSource } from './known-agents.js';
export type { Platform } from './platform.port.js';
