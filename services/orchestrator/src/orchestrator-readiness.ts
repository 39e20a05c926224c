import { NatsHealth, Readiness } from '@millrace/nest-kit';
import { Injectable } from '@nestjs/common';
import { DispatchLoop } from './dispatch-loop.js';

@Injectable()
export class OrchestratorReadiness extends Readiness {
  constructor(
    private readonly dispatch: DispatchLoop,
    private readonly nats: NatsHealth,
  ) {
    super();
  }

  /** One that stands by as dispatcher is ready: it oversees runs all the same. */
  state() {
    const { isConnected } = this.nats;
    return { isReady: isConnected, dispatcher: this.dispatch.role, nats: isConnected ? 'connected' : 'lost' };
  }
}
