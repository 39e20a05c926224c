import { RunRetries } from '@millrace/application';
import { isTerminal, parseSubject, type RunRef } from '@millrace/contracts';
import { ConsumerController, JetStreamContext } from '@millrace/nest-kit';
import { type Outcome, park, type StorePlace } from '@millrace/ports';
import { Ctx, EventPattern } from '@nestjs/microservices';
import { SingleRuns } from './single-runs.js';

/** A wish or an end: what follows from it, of other runs, is in the log before the message is done. */
@ConsumerController()
export class RetryController {
  constructor(
    private readonly retries: RunRetries,
    private readonly singles: SingleRuns,
  ) {}

  @EventPattern<string>('tenant.*.run.*.*')
  async happened(@Ctx() { delivery }: JetStreamContext): Promise<Outcome | undefined> {
    const about = parseSubject(delivery.subject);
    if (about?.type !== 'run') return park(`${delivery.subject} names no run`);
    const run = { tenantId: about.tenantId, runId: about.runId };
    if (!isTerminal(about) || (await this.concernsOthers(run, delivery.place))) {
      await this.retries.follow(run, delivery.place);
    }
    return undefined;
  }

  private async concernsOthers(run: RunRef, place: StorePlace): Promise<boolean> {
    return !this.singles.take(run) && (await this.retries.isFollowed(run, place));
  }
}
