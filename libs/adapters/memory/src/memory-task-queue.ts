import { type NodeTask, type ReadyTask, type RunRef, type RunTask, subjects } from '@millrace/contracts';
import { TaskQueue } from '@millrace/ports';
import { plainParts, type ProcessParts } from './process-parts.js';

export class InMemoryTaskQueue extends TaskQueue {
  constructor(private readonly parts: ProcessParts = plainParts()) {
    super();
  }

  offerRun(task: RunTask): Promise<boolean> {
    return this.offer(subjects.runTask(task), JSON.stringify(task));
  }

  offerNode(task: ReadyTask): Promise<boolean> {
    return this.offer(subjects.task({ ...task, taskKey: task.key }), JSON.stringify(task));
  }

  has(run: RunRef): Promise<boolean> {
    const prefix = subjects.tasksOf(run).slice(0, -1);
    return this.parts.wire.ask('read', () =>
      this.parts.store.tasks.messages.some(({ subject }) => subject.startsWith(prefix)),
    );
  }

  async ready(task: NodeTask): Promise<ReadyTask> {
    if (typeof task.input !== 'string') throw new TypeError('The queue in memory keeps every input inline');
    return { ...task, input: task.input };
  }

  private offer(subject: string, data: string): Promise<boolean> {
    const { tasks } = this.parts.store;
    return this.parts.wire.ask('write', () => {
      if (tasks.holds(subject)) return false;
      tasks.store({ subject, data });
      return true;
    });
  }
}
