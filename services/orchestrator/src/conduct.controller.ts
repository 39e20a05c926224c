import { runOfTimer } from '@millrace/adapter-jetstream';
import { RunConductor } from '@millrace/application';
import { parseSubject, type RunRef } from '@millrace/contracts';
import { ConsumerController, JetStreamContext } from '@millrace/nest-kit';
import { type AtLeast, park, type Outcome } from '@millrace/ports';
import { Ctx, EventPattern } from '@nestjs/microservices';

/** Whatever happened, the run is looked at: what follows from its log is appended, and only then is the message done. */
@ConsumerController()
export class ConductController {
  constructor(private readonly conductor: RunConductor) {}

  @EventPattern<string>('tenant.*.run.*.*')
  async happened(@Ctx() { delivery }: JetStreamContext): Promise<Outcome | undefined> {
    const about = parseSubject(delivery.subject);
    return this.advance(about?.type === 'run' ? about : undefined, delivery.subject, delivery.place);
  }

  @EventPattern<string>('timer.due.>')
  async rang(@Ctx() { delivery }: JetStreamContext): Promise<Outcome | undefined> {
    return this.advance(runOfTimer(delivery.subject), delivery.subject, 'now'); // its place is in another stream
  }

  private async advance(ref: RunRef | undefined, subject: string, atLeast: AtLeast): Promise<Outcome | undefined> {
    if (!ref) return park(`${subject} names no run`);
    await this.conductor.advance({ tenantId: ref.tenantId, runId: ref.runId }, atLeast);
    return undefined;
  }
}
