import { LIVE_PREFIX, subjects } from '@millrace/contracts';
import { OVERSEEN_KINDS, RETRY_KINDS } from '@millrace/ports';
import {
  AckPolicy,
  type ConsumerConfig,
  DeliverPolicy,
  DiscardPolicy,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from '@nats-io/jetstream';
import { nanos } from '@nats-io/nats-core';

/** Every stream, every durable consumer and every limit of the platform. Nothing else creates one. */
export interface Topology {
  readonly streams: readonly DeclaredStream[];
  readonly consumers: readonly DeclaredConsumer[];
}
export type DeclaredStream = Partial<StreamConfig> & Pick<StreamConfig, 'name' | 'subjects' | 'max_bytes'>;
export interface DeclaredConsumer {
  readonly stream: StreamName;
  readonly config: Partial<ConsumerConfig> & { readonly durable_name: string };
}

export interface TopologySize {
  readonly replicas?: 1 | 3;
  /** Below what the disk has: a full log then answers every append with an error instead of taking the server down. */
  readonly maxLogBytes?: number;
  readonly maxBlobBytes?: number;
}

export const STREAMS = {
  runs: 'RUNS',
  tasks: 'TASKS',
  timers: 'TIMERS',
  deadLetters: 'DEAD_LETTERS',
  coordination: 'COORDINATION',
  tickets: 'TICKETS',
  agents: 'AGENTS',
  blobs: 'OBJ_BLOBS',
} as const;
export type StreamName = (typeof STREAMS)[keyof typeof STREAMS];

/** The object store's name; its stream has the prefix the client library gives it. */
export const BLOB_BUCKET = 'BLOBS';

const GIB = 1024 ** 3;
const MIB = 1024 ** 2;

/** nats-server 2.15 stops at 1,000 consumers a stream unless told another number; -1 does not lift it. */
const MAX_CONSUMERS = 1_000;

/** A ticket is good for ten minutes at most (STREAM_TICKET_TTL_SECONDS); clocks may differ. */
const TICKETS_KEPT_MS = 15 * 60_000;

export const topology = ({
  replicas = 1,
  maxLogBytes = 10 * GIB,
  maxBlobBytes = 10 * GIB,
}: TopologySize = {}): Topology => {
  const kept = { num_replicas: replicas, storage: StorageType.File, discard: DiscardPolicy.New };
  return {
    streams: [
      {
        ...kept,
        name: STREAMS.runs,
        description: 'The event log: every fact about every run and thread',
        subjects: [subjects.everyRun(), subjects.everyThread()],
        retention: RetentionPolicy.Limits,
        max_bytes: maxLogBytes,
        max_consumers: MAX_CONSUMERS,
        duplicate_window: nanos(2 * 60_000),
        deny_delete: true,
        deny_purge: true,
        allow_direct: true,
        republish: { src: 'tenant.>', dest: `${LIVE_PREFIX}.tenant.>` },
      },
      {
        ...kept,
        name: STREAMS.tasks,
        description: 'Work to be done; gone once it is done',
        subjects: [subjects.everyTask()],
        retention: RetentionPolicy.Workqueue,
        max_bytes: 256 * MIB,
        max_consumers: MAX_CONSUMERS,
        duplicate_window: nanos(2 * 60_000),
      },
      {
        ...kept,
        name: STREAMS.timers,
        description: 'Deadlines and delays: the server rings them, a service appends what follows',
        subjects: ['timer.>'],
        retention: RetentionPolicy.Limits,
        discard: DiscardPolicy.Old, // the server refuses schedules on a stream that discards new ones
        max_bytes: 256 * MIB,
        max_consumers: MAX_CONSUMERS,
        allow_direct: true,
        allow_msg_ttl: true,
        allow_msg_schedules: true,
      },
      {
        ...kept,
        name: STREAMS.deadLetters,
        description: 'Messages nobody could handle, with the reason, until somebody looks',
        subjects: ['dead.>'],
        retention: RetentionPolicy.Limits,
        max_bytes: 256 * MIB,
        max_consumers: MAX_CONSUMERS,
        allow_direct: true,
      },
      {
        ...kept,
        name: STREAMS.coordination,
        description: 'Who leads, and where it stood: the last word on each subject',
        subjects: ['lease.*', 'snapshot.*'],
        retention: RetentionPolicy.Limits,
        discard: DiscardPolicy.Old,
        max_msgs_per_subject: 1,
        max_bytes: 64 * MIB,
        max_consumers: MAX_CONSUMERS,
        allow_direct: true,
      },
      {
        ...kept,
        name: STREAMS.tickets,
        description: 'Stream tickets that were used, for longer than any of them is good',
        subjects: [subjects.everyTicket()],
        retention: RetentionPolicy.Limits,
        max_age: nanos(TICKETS_KEPT_MS),
        max_bytes: 64 * MIB,
        max_consumers: MAX_CONSUMERS,
      },
      {
        ...kept,
        name: STREAMS.agents,
        description: 'The agents workers have announced, for good, and which workers live: the last word on each',
        subjects: [subjects.everyAgentMessage()],
        retention: RetentionPolicy.Limits,
        max_msgs_per_subject: 1,
        max_bytes: 64 * MIB,
        max_consumers: MAX_CONSUMERS,
        allow_direct: true,
        allow_msg_ttl: true,
        republish: { src: subjects.everyAgentMessage(), dest: subjects.liveAgentMessages() },
      },
      {
        ...kept,
        name: STREAMS.blobs,
        description: 'Payloads too large for an event, by content, apart for each tenant',
        subjects: [`$O.${BLOB_BUCKET}.C.>`, `$O.${BLOB_BUCKET}.M.>`],
        retention: RetentionPolicy.Limits,
        max_bytes: maxBlobBytes,
        max_consumers: MAX_CONSUMERS,
        allow_direct: true,
        allow_rollup_hdrs: true,
      },
    ],
    consumers: [
      consumer(
        STREAMS.runs,
        'orchestrator',
        OVERSEEN_KINDS.map((kind) => subjects.everyRun(kind)),
      ),
      consumer(
        STREAMS.runs,
        'run-api-retries',
        RETRY_KINDS.map((kind) => subjects.everyRun(kind)),
      ),
      consumer(STREAMS.timers, 'orchestrator-timers', [subjects.everyTimerDue()]),
      consumer(STREAMS.tasks, 'node-workers', [subjects.everyTask()]),
    ],
  };
};

/** Whoever holds a message says so every third of ACK_WAIT_MS; whoever does not is taken for dead after it. */
const ACK_WAIT_MS = 6_000;

const consumer = (stream: StreamName, durable_name: string, filter_subjects: string[]): DeclaredConsumer => ({
  stream,
  config: {
    durable_name,
    filter_subjects,
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.All,
    ack_wait: nanos(ACK_WAIT_MS),
    max_deliver: -1, // the consumer counts, so that nothing is dropped unseen
    max_ack_pending: 10_000,
    max_waiting: 2_000,
  },
});
