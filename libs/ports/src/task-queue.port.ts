import type { NodeTask, ReadyTask, RunRef } from '@millrace/contracts';

/** Work for whichever worker is free. */
export abstract class TaskQueue {
  /** Resolves once it is queued. The same `offerId` within a few minutes queues it once. */
  abstract offer(task: ReadyTask, offerId: string): Promise<void>;
  /** Whether any message of the run is in the queue, waiting or in a worker's hands. */
  abstract has(run: RunRef): Promise<boolean>;
  /** The task with its input at hand, wherever that was kept. */
  abstract ready(task: NodeTask): Promise<ReadyTask>;
}
