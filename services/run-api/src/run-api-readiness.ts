import { NatsHealth, Readiness } from '@millrace/nest-kit';
import { Injectable } from '@nestjs/common';

@Injectable()
export class RunApiReadiness extends Readiness {
  constructor(private readonly nats: NatsHealth) {
    super();
  }

  state() {
    const { isConnected } = this.nats;
    return { isReady: isConnected, nats: isConnected ? 'connected' : 'lost' };
  }
}
