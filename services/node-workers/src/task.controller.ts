import { type DeliveredMessage, RunMover } from '@millrace/application';
import { NodeTask, RunTask, subjects } from '@millrace/contracts';
import { ConsumerController, JetStreamContext } from '@millrace/nest-kit';
import { type Delivery, type Outcome, park, TaskQueue } from '@millrace/ports';
import { Ctx, EventPattern } from '@nestjs/microservices';

/** A message that may not act on the log of another run than its subject names is parked. */
@ConsumerController()
export class TaskController {
  constructor(
    private readonly mover: RunMover,
    private readonly queue: TaskQueue,
  ) {}

  @EventPattern<string>(subjects.everyTask())
  async offered(@Ctx() { delivery }: JetStreamContext): Promise<Outcome> {
    const body = parseJson(delivery.data);
    const asRun = RunTask.safeParse(body);
    if (asRun.success) return this.move(asRun.data, delivery);
    const asNode = NodeTask.safeParse(body);
    if (asNode.success) return this.execute(asNode.data, delivery);
    return park(`${delivery.subject} is no task: ${asNode.error.issues[0]?.message}`);
  }

  private async move(task: RunTask, delivery: Delivery): Promise<Outcome> {
    const isOwn =
      subjects.runTask(task) === delivery.subject && (task.seed?.events ?? []).every((event) => isOf(task, event));
    return isOwn ? this.mover.move(task, messageOf(delivery)) : strange(delivery, task.runId);
  }

  private async execute(task: NodeTask, delivery: Delivery): Promise<Outcome> {
    const isOwn = subjects.task({ ...task, taskKey: task.key }) === delivery.subject;
    if (!isOwn) return strange(delivery, task.runId);
    return this.mover.execute(await this.queue.ready(task), messageOf(delivery));
  }
}

const isOf = (task: RunTask, { tenantId, runId }: Pick<RunTask, 'tenantId' | 'runId'>): boolean =>
  tenantId === task.tenantId && runId === task.runId;

const strange = ({ subject }: Delivery, runId: string): Outcome => park(`${subject} holds a task of run ${runId}`);

const messageOf = ({ attempt: deliveries, hasStalled, othersWait }: Delivery): DeliveredMessage => ({
  deliveries,
  hasStalled,
  othersWait,
});

const parseJson = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    return error; // no task either; the caller says so
  }
};
