import { NatsHealth, Readiness } from '@millrace/nest-kit';
import { Injectable } from '@nestjs/common';
import { FeedStreams } from './feed/feed-streams.js';
import { Connections } from './streams/connections.js';
import { RunChannels } from './streams/run-channels.js';

@Injectable()
export class StreamGatewayReadiness extends Readiness {
  constructor(
    private readonly nats: NatsHealth,
    private readonly connections: Connections,
    private readonly channels: RunChannels,
    private readonly feeds: FeedStreams,
  ) {
    super();
  }

  state() {
    const { isConnected } = this.nats;
    const { counts, isClosing } = this.connections;
    const nats = isConnected ? 'connected' : 'lost';
    return { isReady: isConnected && !isClosing, nats, ...counts, runs: this.channels.size, feeds: this.feeds.size };
  }
}
