import type { NodeTask, ReadyTask, RunRef } from '@millrace/contracts';
import { TaskQueue } from '@millrace/ports';

export class InMemoryTaskQueue extends TaskQueue {
  readonly #offered = new Set<string>();
  readonly waiting: ReadyTask[] = [];

  async offer(task: ReadyTask, offerId: string): Promise<void> {
    if (this.#offered.has(offerId)) return;
    this.#offered.add(offerId);
    this.waiting.push(task);
  }

  async has({ runId }: RunRef): Promise<boolean> {
    return this.waiting.some((task) => task.runId === runId);
  }

  async ready(task: NodeTask): Promise<ReadyTask> {
    if (typeof task.input !== 'string') throw new TypeError('The queue in memory keeps every input inline');
    return { ...task, input: task.input };
  }
}
