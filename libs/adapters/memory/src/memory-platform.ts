import { Clock, type EventIds, type Platform } from '@millrace/ports';
import { CountingEventIds, ManualClock } from './fixed-identity.js';
import { MemoryAgentCatalogue } from './memory-agent-catalogue.js';
import { InMemoryBlobStore } from './memory-blob-store.js';
import { MemoryDeadLetters } from './memory-dead-letters.js';
import { MemoryDeliveries } from './memory-deliveries.js';
import { MemoryEventFeed } from './memory-event-feed.js';
import { MemoryLeases } from './memory-leases.js';
import { InMemoryRunLog } from './memory-run-log.js';
import { MemoryRunSignals } from './memory-run-signals.js';
import { MemoryRunRequests } from './memory-run-requests.js';
import { MemorySnapshots } from './memory-snapshots.js';
import { MemoryStore, STORE_TIMINGS, type StoreTimings } from './memory-store.js';
import { InMemoryTaskQueue } from './memory-task-queue.js';
import { MemoryTenantFeed } from './memory-tenant-feed.js';
import { MemoryThreadLog } from './memory-thread-log.js';
import { MemoryTicketLedger } from './memory-ticket-ledger.js';
import { type MemoryTime, SystemTime } from './memory-time.js';
import { MemoryTimers } from './memory-timers.js';
import { SeededRandom } from './seeded-random.js';
import { type Faults, type Lag, SimulatedWire } from './simulated-wire.js';
import { VirtualTime } from './virtual-time.js';
import { PlainWire, type Wire } from './wire.js';

export interface MemoryOptions extends Partial<StoreTimings> {
  readonly ids?: EventIds;
}

export interface SimulatedOptions extends MemoryOptions {
  /** All that happens, and when, follows from it. */
  readonly seed: number;
  readonly lag?: Lag;
  readonly faults?: Faults;
}

export interface PlainOptions extends MemoryOptions {
  /** Without one, the system's: then only what a clock of the test's own shows is fixed. */
  readonly clock?: ManualClock;
}

/** The platform as one process has it. */
export interface MemoryProcess extends Platform {
  /** Killed: what it waits for never comes, what it holds goes to others. */
  crash(): void;
  /** Stands still until it thaws; what it holds goes to others meanwhile. */
  freeze(): void;
  thaw(): void;
  readonly isGone: boolean;
  readonly isMoving: boolean;
  /** By the platform's time. Never ends for a process that is gone. */
  pause(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The first process of a store, and how to start others on it. */
export interface MemoryPlatform<T extends MemoryTime = MemoryTime> extends MemoryProcess {
  process(): MemoryProcess;
  /** What all processes share: the truth, whatever replicas answer. */
  readonly store: MemoryStore;
  readonly time: T;
}

/**
 * The whole platform in memory. With a seed every word between a process and the store goes through one scheduler in
 * virtual time, which the caller moves: late, out of order, and with the lag and the faults that were asked for; the same
 * seed tells the same story. Without one everything happens at once.
 */
export function memoryPlatform(options: SimulatedOptions): MemoryPlatform<VirtualTime>;
export function memoryPlatform(options?: PlainOptions): MemoryPlatform;
export function memoryPlatform(options: PlainOptions | SimulatedOptions = {}): MemoryPlatform {
  const timings = { ...STORE_TIMINGS, ...options };
  const ids = options.ids ?? new CountingEventIds();
  if (!('seed' in options)) {
    const time = options.clock ?? new SystemTime();
    const clock = options.clock ?? new SystemClock();
    return platformOn(new MemoryStore(time, timings), () => ({ wire: new PlainWire(time) }), { clock, ids });
  }
  const { seed, lag = { chance: 0, mostMs: 0 }, faults = {} } = options;
  const time = new VirtualTime();
  const random = new SeededRandom(seed);
  const { leaseLostEveryMs: everyMs } = faults;
  const losesAfterMs = () => (everyMs === undefined ? undefined : -everyMs * Math.log(1 - random.next()));
  const simulated = () => ({ wire: new SimulatedWire(time, random, lag, faults), losesAfterMs });
  return platformOn(new MemoryStore(time, timings), simulated, { clock: time, ids });
}

interface Connection {
  readonly wire: Wire;
  readonly losesAfterMs?: () => number | undefined;
}

const platformOn = (
  store: MemoryStore,
  connect: () => Connection,
  identity: { readonly clock: Clock; readonly ids: EventIds },
): MemoryPlatform => {
  const start = () => processOn(store, connect(), identity);
  return Object.assign(start(), { process: start, store, time: store.time });
};

const processOn = (
  store: MemoryStore,
  { wire, losesAfterMs }: Connection,
  { clock, ids }: { readonly clock: Clock; readonly ids: EventIds },
): MemoryProcess => {
  const parts = { store, wire };
  const deadLetters = new MemoryDeadLetters(parts);
  const { life } = wire;
  return {
    runs: new InMemoryRunLog(parts),
    threads: new MemoryThreadLog(parts),
    requests: new MemoryRunRequests(parts),
    feed: new MemoryEventFeed(parts),
    tenantFeed: new MemoryTenantFeed(parts),
    tasks: new InMemoryTaskQueue(parts),
    signals: new MemoryRunSignals(parts),
    timers: new MemoryTimers(parts),
    deliveries: new MemoryDeliveries(parts, deadLetters),
    leases: new MemoryLeases(parts, losesAfterMs),
    snapshots: new MemorySnapshots(parts),
    blobs: new InMemoryBlobStore(parts),
    tickets: new MemoryTicketLedger(parts),
    deadLetters,
    catalogue: new MemoryAgentCatalogue(parts),
    clock,
    ids,
    crash: () => life.crash(),
    freeze: () => life.freeze(),
    thaw: () => life.thaw(Math.max(store.timings.ackWaitMs / 2, 1_000)),
    get isGone() {
      return life.isGone;
    },
    get isMoving() {
      return life.isMoving;
    },
    pause: (ms, signal) => wire.pause(ms, signal),
  };
};

class SystemClock extends Clock {
  now(): Date {
    return new Date();
  }
}
