import { RunOverseer } from '@millrace/application';
import { runOfTimer } from '@millrace/contracts';
import { ConsumerController, JetStreamContext } from '@millrace/nest-kit';
import { type Outcome, park, RunLog } from '@millrace/ports';
import { Ctx, EventPattern } from '@nestjs/microservices';

/** What follows from an event is in the log, or in the queue, before its message is done. */
@ConsumerController()
export class OverseeController {
  constructor(
    private readonly overseer: RunOverseer,
    private readonly log: RunLog,
  ) {}

  @EventPattern<string>('tenant.*.run.*.*')
  async happened(@Ctx() { delivery }: JetStreamContext): Promise<Outcome> {
    const { event, tail } = await this.log.delivered(delivery);
    return this.overseer.heard(event, tail, delivery.attempt);
  }

  @EventPattern<string>('timer.due.>')
  async rang(@Ctx() { delivery }: JetStreamContext): Promise<Outcome> {
    const ref = runOfTimer(delivery.subject);
    return ref ? this.overseer.advance(ref, 'now', delivery.attempt) : park(`${delivery.subject} names no run`);
  }
}
