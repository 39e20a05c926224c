import { type NodeTask, type ReadyTask, type RunRef, subjects } from '@millrace/contracts';
import { type BlobStore, TaskQueue } from '@millrace/ports';
import { type JetStreamClient, jetstream } from '@nats-io/jetstream';
import { headers, type NatsConnection } from '@nats-io/nats-core';
import { context, propagation } from '@opentelemetry/api';
import { traceSetter } from './event-headers.js';
import { LeaderReader } from './leader-reader.js';
import { STREAMS } from './topology.js';

/** A state of this size passes through the queue; a larger one lies in the object store meanwhile. */
const MAX_INLINE_INPUT = 256 * 1024;

export class JetStreamTaskQueue extends TaskQueue {
  readonly #js: JetStreamClient;
  readonly #leader: LeaderReader;

  constructor(
    nats: NatsConnection,
    private readonly blobs: BlobStore,
  ) {
    super();
    this.#js = jetstream(nats);
    this.#leader = new LeaderReader(nats, STREAMS.tasks);
  }

  async offer(task: ReadyTask, offerId: string): Promise<void> {
    const bytes = new TextEncoder().encode(task.input);
    const isLarge = bytes.byteLength > MAX_INLINE_INPUT;
    const input = isLarge ? await this.blobs.put(task.tenantId, bytes, 'application/json') : task.input;
    const sent: NodeTask = { ...task, input };
    const built = headers();
    propagation.inject(context.active(), built, traceSetter);
    const subject = subjects.task({ ...task, taskKey: task.key });
    await this.#js.publish(subject, JSON.stringify(sent), { msgID: offerId, headers: built });
  }

  async has(run: RunRef): Promise<boolean> {
    return (await this.#leader.last(subjects.tasksOf(run))) !== undefined;
  }

  async ready(task: NodeTask): Promise<ReadyTask> {
    if (typeof task.input === 'string') return { ...task, input: task.input };
    return { ...task, input: new TextDecoder().decode(await this.blobs.get(task.tenantId, task.input)) };
  }
}
