import { connectNats, type NatsConnection, verifyTopology } from '@millrace/adapter-jetstream';
import { type DynamicModule, Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { NatsHealth } from './nats-health.js';

/** The process's connection. */
export const NATS = Symbol('NatsConnection');

const WAIT_MS = 30_000;

/** One connection for the process, to a server whose streams are as declared; closed when all else has stopped. */
@Global()
@Module({})
export class NatsModule implements OnApplicationShutdown {
  constructor(@Inject(NATS) private readonly nats: NatsConnection) {}

  static forRoot(url: string, name: string): DynamicModule {
    return {
      module: NatsModule,
      providers: [
        { provide: NATS, useFactory: () => openNats(url, name) },
        { provide: NatsHealth, inject: [NATS], useFactory: (nats: NatsConnection) => new NatsHealth(nats) },
      ],
      exports: [NATS, NatsHealth],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.nats.close();
  }
}

async function openNats(url: string, name: string): Promise<NatsConnection> {
  const nats = await connectNats({ url, name, waitForServerMs: WAIT_MS });
  try {
    await verifyTopology(nats);
    return nats;
  } catch (error) {
    await nats.close();
    throw error;
  }
}
