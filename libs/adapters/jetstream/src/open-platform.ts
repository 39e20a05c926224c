import type { Platform } from '@millrace/ports';
import type { NatsConnection } from '@nats-io/nats-core';
import { JetStreamDeadLetters } from './dead-letters.js';
import { JetStreamAgentCatalogue } from './jetstream-agent-catalogue.js';
import { JetStreamBlobStore } from './jetstream-blob-store.js';
import { JetStreamDeliveries } from './jetstream-deliveries.js';
import { JetStreamEventFeed } from './jetstream-event-feed.js';
import { JetStreamLeases } from './jetstream-leases.js';
import { JetStreamRunLog, type RunLogOptions } from './jetstream-run-log.js';
import { JetStreamRunRequests } from './jetstream-run-requests.js';
import { JetStreamRunSignals } from './jetstream-run-signals.js';
import { JetStreamSnapshots } from './jetstream-snapshots.js';
import { JetStreamTaskQueue } from './jetstream-task-queue.js';
import { JetStreamTenantFeed } from './jetstream-tenant-feed.js';
import { JetStreamThreadLog } from './jetstream-thread-log.js';
import { JetStreamTicketLedger } from './jetstream-ticket-ledger.js';
import { JetStreamTimers } from './jetstream-timers.js';
import { SystemClock, UlidEventIds } from './system-identity.js';

/** The platform on JetStream: once for each process, so that all its parts share one log and what it knows to be written. */
export const openPlatform = (nats: NatsConnection, options: RunLogOptions = {}): Platform => {
  const blobs = new JetStreamBlobStore(options.replay ?? nats);
  return {
    runs: new JetStreamRunLog(nats, blobs, options),
    threads: new JetStreamThreadLog(nats),
    requests: new JetStreamRunRequests(nats),
    feed: new JetStreamEventFeed(nats, blobs),
    tenantFeed: new JetStreamTenantFeed(nats, blobs, options),
    tasks: new JetStreamTaskQueue(nats, blobs),
    signals: new JetStreamRunSignals(nats),
    timers: new JetStreamTimers(nats),
    deliveries: new JetStreamDeliveries(nats),
    leases: new JetStreamLeases(nats),
    snapshots: new JetStreamSnapshots(nats),
    blobs,
    tickets: new JetStreamTicketLedger(nats),
    deadLetters: new JetStreamDeadLetters(nats),
    catalogue: new JetStreamAgentCatalogue(nats),
    clock: new SystemClock(),
    ids: new UlidEventIds(),
  };
};
