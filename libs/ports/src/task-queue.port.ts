import type { NodeTask, ReadyTask } from '@millrace/contracts';

/** Work for whichever worker is free. */
export abstract class TaskQueue {
  /** Resolves once it is queued. The same `offerId` within a few minutes queues it once. */
  abstract offer(task: ReadyTask, offerId: string): Promise<void>;
  /** The task with its input at hand, wherever that was kept. */
  abstract ready(task: NodeTask): Promise<ReadyTask>;
}
