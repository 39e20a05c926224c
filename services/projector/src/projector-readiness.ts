import { NatsHealth, Readiness } from '@millrace/nest-kit';
import { Injectable } from '@nestjs/common';
import { Backlog } from './backlog.js';
import { ProjectionRunner } from './projection-runner.js';

@Injectable()
export class ProjectorReadiness extends Readiness {
  constructor(
    private readonly runner: ProjectionRunner,
    private readonly backlog: Backlog,
    private readonly nats: NatsHealth,
  ) {
    super();
  }

  /** An instance that stands by is ready: it takes over by itself. */
  state() {
    const { role, outage } = this.runner;
    const { events: behind, lagMs, poisoned } = this.backlog;
    const position = role === 'active' ? this.runner.position : this.backlog.position; // somebody else's, while it waits
    const { isConnected } = this.nats;
    const isReady = isConnected && (role === 'active' || role === 'standby');
    const nats = isConnected ? 'connected' : 'lost';
    return { isReady, role, position, behind, lagMs, poisoned, nats, because: outage };
  }
}
