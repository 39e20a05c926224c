import { NatsHealth, Readiness } from '@millrace/nest-kit';
import { Injectable } from '@nestjs/common';
import { ReadModelHealth } from './reads/read-model-health.js';

@Injectable()
export class RunApiReadiness extends Readiness {
  constructor(
    private readonly nats: NatsHealth,
    private readonly readModels: ReadModelHealth,
  ) {
    super();
  }

  /** Ready without the read models: only lists need them. */
  state() {
    const { isConnected } = this.nats;
    return { isReady: isConnected, nats: isConnected ? 'connected' : 'lost', readModels: this.readModels.state };
  }
}
