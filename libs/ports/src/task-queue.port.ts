import type { NodeTask, ReadyTask, RunRef, RunTask } from '@millrace/contracts';

/**
 * Work for any worker that is free: runs to be moved on, and nodes of steps of several.
 *
 * I1  The queue holds at most one message for each run, and one for each task of it, whether it waits or is in a worker's
 *     hands: to be given the message of a run is to be the one worker that moves it, until its time is up.
 */
export abstract class TaskQueue {
  /** Resolves once it is queued; with false when the run's message is in the queue already. */
  abstract offerRun(task: RunTask): Promise<boolean>;
  /** Resolves once it is queued; with false when the task's message is in the queue already. */
  abstract offerNode(task: ReadyTask): Promise<boolean>;
  /** Whether any message of the run is in the queue, waiting or in a worker's hands. */
  abstract has(run: RunRef): Promise<boolean>;
  /** The task with its input at hand, wherever that was kept. */
  abstract ready(task: NodeTask): Promise<ReadyTask>;
}
