import { NatsHealth, Readiness } from '@millrace/nest-kit';
import { Injectable } from '@nestjs/common';
import { ProjectionRunner } from './projection-runner.js';

@Injectable()
export class ProjectorReadiness extends Readiness {
  constructor(
    private readonly runner: ProjectionRunner,
    private readonly nats: NatsHealth,
  ) {
    super();
  }

  /** An instance that stands by is ready: it takes over by itself. */
  state() {
    const { role, position, lagMs, poisoned, outage } = this.runner;
    const { isConnected } = this.nats;
    const isReady = isConnected && (role === 'active' || role === 'standby');
    return { isReady, role, position, lagMs, poisoned, nats: isConnected ? 'connected' : 'lost', because: outage };
  }
}
