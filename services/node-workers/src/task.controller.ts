import { TaskExecutor } from '@millrace/application';
import { NodeTask, subjects } from '@millrace/contracts';
import { ConsumerController, JetStreamContext } from '@millrace/nest-kit';
import { type Outcome, park, TaskQueue } from '@millrace/ports';
import { Ctx, EventPattern } from '@nestjs/microservices';

@ConsumerController()
export class TaskController {
  constructor(
    private readonly executor: TaskExecutor,
    private readonly queue: TaskQueue,
  ) {}

  @EventPattern<string>(subjects.everyTask())
  async offered(@Ctx() { delivery }: JetStreamContext): Promise<Outcome> {
    const parsed = NodeTask.safeParse(parseJson(delivery.data));
    if (!parsed.success) return park(`${delivery.subject} is no task: ${parsed.error.issues[0]?.message}`);
    // Who may publish a task may not make one run's task act on another's log.
    if (subjects.task({ ...parsed.data, taskKey: parsed.data.key }) !== delivery.subject) {
      return park(`${delivery.subject} holds a task of run ${parsed.data.runId}`);
    }
    const { attempt: deliveries, hasStalled } = delivery;
    return this.executor.execute(await this.queue.ready(parsed.data), { deliveries, hasStalled });
  }
}

const parseJson = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    return error; // no task either; the caller says so
  }
};
