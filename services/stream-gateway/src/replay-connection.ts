import { connectNats, type NatsConnection } from '@millrace/adapter-jetstream';
import { Inject, Injectable, type OnApplicationShutdown, type Provider } from '@nestjs/common';

export const REPLAY = Symbol('NatsConnection for replays');

/**
 * Replays have a connection of their own: the server answers direct gets in the loop of the connection they come by,
 * and live events must not wait behind a long history.
 */
export const replayConnection = (url: string): Provider => ({
  provide: REPLAY,
  useFactory: () => connectNats({ url, name: 'stream-gateway-replay', waitForServerMs: 30_000 }),
});

@Injectable()
export class ReplayConnectionEnd implements OnApplicationShutdown {
  constructor(@Inject(REPLAY) private readonly nats: NatsConnection) {}

  async onApplicationShutdown(): Promise<void> {
    await this.nats.close();
  }
}
