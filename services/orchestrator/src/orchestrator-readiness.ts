import { RunConductor } from '@millrace/application';
import { NatsHealth, Readiness } from '@millrace/nest-kit';
import { Injectable } from '@nestjs/common';
import { DispatchLoop } from './dispatch-loop.js';

@Injectable()
export class OrchestratorReadiness extends Readiness {
  constructor(
    private readonly conductor: RunConductor,
    private readonly dispatch: DispatchLoop,
    private readonly nats: NatsHealth,
  ) {
    super();
  }

  /** One that stands by as dispatcher is ready: it conducts runs all the same. */
  state() {
    const { isConnected } = this.nats;
    const { resident } = this.conductor;
    return { isReady: isConnected, dispatcher: this.dispatch.role, resident, nats: isConnected ? 'connected' : 'lost' };
  }
}
