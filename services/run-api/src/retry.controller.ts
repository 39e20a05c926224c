import { RunRetries } from '@millrace/application';
import { isTerminal, parseSubject } from '@millrace/contracts';
import { ConsumerController, JetStreamContext } from '@millrace/nest-kit';
import { type Outcome, park } from '@millrace/ports';
import { Ctx, EventPattern } from '@nestjs/microservices';

/** A wish or an end: what follows from it, of other runs, is in the log before the message is done. */
@ConsumerController()
export class RetryController {
  constructor(private readonly retries: RunRetries) {}

  @EventPattern<string>('tenant.*.run.*.*')
  async happened(@Ctx() { delivery }: JetStreamContext): Promise<Outcome | undefined> {
    const about = parseSubject(delivery.subject);
    if (about?.type !== 'run') return park(`${delivery.subject} names no run`);
    const { tenantId, runId } = about;
    const isFollowed = !isTerminal(about) || (await this.retries.isFollowed({ tenantId, runId }, delivery.place));
    if (isFollowed) await this.retries.follow({ tenantId, runId }, delivery.place);
    return undefined;
  }
}
