import { RunRetries } from '@millrace/application';
import { parseSubject } from '@millrace/contracts';
import { ConsumerController, JetStreamContext } from '@millrace/nest-kit';
import { type Outcome, park } from '@millrace/ports';
import { Ctx, EventPattern } from '@nestjs/microservices';

/** A wish, or an end that concerns other runs: what follows from it is in the log before the message is done. */
@ConsumerController()
export class RetryController {
  constructor(private readonly retries: RunRetries) {}

  @EventPattern<string>('tenant.*.run.*.*')
  async happened(@Ctx() { delivery }: JetStreamContext): Promise<Outcome> {
    const about = parseSubject(delivery.subject);
    return about?.type === 'run' ? this.retries.heard(about, delivery) : park(`${delivery.subject} names no run`);
  }
}
