import { AgentRegistry } from '@millrace/agent-sdk';
import { agentsNotLoaded, NatsHealth, Readiness } from '@millrace/nest-kit';
import { Injectable } from '@nestjs/common';
import { AgentAnnouncer } from './agent-announcer.js';

@Injectable()
export class NodeWorkersReadiness extends Readiness {
  constructor(
    private readonly nats: NatsHealth,
    private readonly announcer: AgentAnnouncer,
    private readonly agents: AgentRegistry,
  ) {
    super();
  }

  state() {
    const { isConnected } = this.nats;
    const { isAnnounced } = this.announcer;
    return {
      isReady: isConnected && isAnnounced,
      nats: isConnected ? 'connected' : 'lost',
      agents: isAnnounced ? 'announced' : 'not announced yet',
      agentsNotLoaded: agentsNotLoaded(this.agents),
    };
  }
}
