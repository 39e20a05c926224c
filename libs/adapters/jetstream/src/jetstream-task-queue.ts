import { type NodeTask, type ReadyTask, type RunRef, type RunTask, subjects } from '@millrace/contracts';
import { type BlobStore, StoreFull, StoreUnavailable, TaskQueue } from '@millrace/ports';
import { type JetStreamClient, jetstream } from '@nats-io/jetstream';
import { headers, type NatsConnection } from '@nats-io/nats-core';
import { context, propagation } from '@opentelemetry/api';
import { isFull, isWrongLastSequence } from './api-codes.js';
import { traceSetter } from './event-headers.js';
import { LeaderReader } from './leader-reader.js';
import { STREAMS } from './topology.js';

/** A state or a history of this size passes through the queue; a larger one lies in the object store, or in the log. */
const MAX_INLINE = 256 * 1024;

/**
 * A work queue: a message is there until it is acknowledged. So an expected last sequence of 0 on its own subject is what
 * makes it the only one of its name.
 */
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

  offerRun(task: RunTask): Promise<boolean> {
    const whole = JSON.stringify(task);
    const { seed, ...unseeded } = task;
    const body = seed && whole.length > MAX_INLINE ? JSON.stringify(unseeded) : whole;
    return this.offer(subjects.runTask(task), body);
  }

  async offerNode(task: ReadyTask): Promise<boolean> {
    const bytes = new TextEncoder().encode(task.input);
    const isLarge = bytes.byteLength > MAX_INLINE;
    const input = isLarge ? await this.blobs.put(task.tenantId, bytes, 'application/json') : task.input;
    const sent: NodeTask = { ...task, input };
    return this.offer(subjects.task({ ...task, taskKey: task.key }), JSON.stringify(sent));
  }

  async has(run: RunRef): Promise<boolean> {
    return (await this.#leader.last(subjects.tasksOf(run))) !== undefined;
  }

  async ready(task: NodeTask): Promise<ReadyTask> {
    if (typeof task.input === 'string') return { ...task, input: task.input };
    return { ...task, input: new TextDecoder().decode(await this.blobs.get(task.tenantId, task.input)) };
  }

  private async offer(subject: string, body: string): Promise<boolean> {
    const built = headers();
    propagation.inject(context.active(), built, traceSetter);
    try {
      await this.#js.publish(subject, body, { headers: built, expect: { lastSubjectSequence: 0 } });
      return true;
    } catch (cause) {
      if (isWrongLastSequence(cause)) return false;
      if (isFull(cause)) throw new StoreFull(`Stream ${STREAMS.tasks} has no room for ${subject}`, { cause });
      throw new StoreUnavailable(`Stream ${STREAMS.tasks} did not take ${subject} (${String(cause)})`, { cause });
    }
  }
}
