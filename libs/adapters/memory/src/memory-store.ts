import type { RunRef, TenantId, ThreadRef } from '@millrace/contracts';
import { OVERSEEN_KINDS, type ConsumerName, RETRY_KINDS } from '@millrace/ports';
import { LeaseBoard } from './lease-board.js';
import { MemoryConsumer } from './memory-consumer.js';
import { kindOf, MemoryStream } from './memory-stream.js';
import type { MemoryTime } from './memory-time.js';

export interface StoreTimings {
  /** A message whose taker says nothing for so long is given out again. */
  readonly ackWaitMs: number;
  /** A lease whose holder says nothing for so long goes to the next. */
  readonly leaseSilenceMs: number;
}

export const STORE_TIMINGS: StoreTimings = { ackWaitMs: 6_000, leaseSilenceMs: 4_000 };

/** What all processes share: the streams, their consumers, and what is kept beside them. Always the truth, never a replica. */
export class MemoryStore {
  readonly runs: MemoryStream;
  readonly tasks: MemoryStream;
  readonly timers: MemoryStream;
  readonly deadLetters: MemoryStream;
  readonly agents: MemoryStream;
  readonly consumers: Readonly<Record<ConsumerName, MemoryConsumer>>;
  readonly leases: LeaseBoard;
  readonly snapshots = new Map<string, string>();
  readonly tickets = new Set<string>();
  readonly blobs = new Map<string, Uint8Array>();
  /** What is set, by the subject it will ring on, and how to take it back. */
  readonly timersSet = new Map<string, () => void>();

  constructor(
    readonly time: MemoryTime,
    readonly timings: StoreTimings = STORE_TIMINGS,
  ) {
    this.runs = new MemoryStream(time, keysOfEvent);
    this.tasks = new MemoryStream(time);
    this.timers = new MemoryStream(time);
    this.deadLetters = new MemoryStream(time);
    this.agents = new MemoryStream(time);
    this.leases = new LeaseBoard(time, timings.leaseSilenceMs);
    const { ackWaitMs } = timings;
    const ofKinds = (kinds: readonly string[]) => {
      const wanted = new Set(kinds);
      return new MemoryConsumer(this.runs, time, { ackWaitMs, wants: (message) => wanted.has(kindOf(message)) });
    };
    const ofAll = (stream: MemoryStream, isQueue: boolean) =>
      new MemoryConsumer(stream, time, { ackWaitMs, isQueue, wants: () => true });
    this.consumers = {
      orchestrator: ofKinds(OVERSEEN_KINDS),
      'run-api-retries': ofKinds(RETRY_KINDS),
      'orchestrator-timers': ofAll(this.timers, false),
      'node-workers': ofAll(this.tasks, true),
    };
  }
}

export const keyOf = {
  run: ({ tenantId, runId }: RunRef): string => `${tenantId}/run/${runId}`,
  thread: ({ tenantId, threadId }: ThreadRef): string => `${tenantId}/thread/${threadId}`,
  runsOf: (tenantId: TenantId): string => `${tenantId}/run`,
  requestsOf: (tenantId: TenantId): string => `${tenantId}/requests`,
};

/** By run or thread, by tenant, and a tenant's requests by themselves; of what is no event's subject, nothing. */
const keysOfEvent = (subject: string): string[] => {
  const [tenant, tenantId, type, id, kind] = subject.split('.');
  if (tenant !== 'tenant' || kind === undefined) return [];
  const key = `${tenantId}/${type}/${id}`;
  if (type !== 'run') return [key];
  const all = `${tenantId}/run`;
  return kind === 'RunRequested' ? [key, all, `${tenantId}/requests`] : [key, all];
};
