import {
  connectNats,
  type NatsConnection,
  openPlatform,
  type RunLogOptions,
  verifyTopology,
} from '@millrace/adapter-jetstream';
import type { Platform } from '@millrace/ports';
import {
  type DynamicModule,
  type FactoryProvider,
  Global,
  Inject,
  Module,
  type OnApplicationShutdown,
} from '@nestjs/common';
import type { Abstract } from '@nestjs/common/interfaces/index.js';
import { NatsHealth } from './nats-health.js';

/** The process's connection. */
export const NATS = Symbol('NatsConnection');
/** All the process needs of the store, on that connection: one log and one blob store for each process. */
export const PLATFORM = Symbol('Platform');
const REPLAY = Symbol('NatsConnection for replays');

export interface NatsOptions extends Pick<RunLogOptions, 'keepsTexts'> {
  /**
   * Replays over a connection of their own: the server answers direct gets in the loop of the connection they come by,
   * and live events must not wait behind a long history.
   */
  readonly replaysApart?: boolean;
}

const WAIT_MS = 30_000;

/** One connection for the process, to a server whose streams are as declared; closed when all else has stopped. */
@Global()
@Module({})
export class NatsModule implements OnApplicationShutdown {
  constructor(
    @Inject(NATS) private readonly nats: NatsConnection,
    @Inject(REPLAY) private readonly replay: NatsConnection | null,
  ) {}

  static forRoot(
    url: string,
    name: string,
    { replaysApart = false, keepsTexts = false }: NatsOptions = {},
  ): DynamicModule {
    return {
      module: NatsModule,
      providers: [
        { provide: NATS, useFactory: () => openNats(url, name) },
        {
          provide: REPLAY,
          useFactory: () =>
            replaysApart ? connectNats({ url, name: `${name}-replay`, waitForServerMs: WAIT_MS }) : null,
        },
        { provide: NatsHealth, inject: [NATS], useFactory: (nats: NatsConnection) => new NatsHealth(nats) },
        {
          provide: PLATFORM,
          inject: [NATS, REPLAY],
          useFactory: (nats: NatsConnection, replay: NatsConnection | null) =>
            openPlatform(nats, { keepsTexts, ...(replay ? { replay } : {}) }),
        },
      ],
      exports: [NATS, NatsHealth, PLATFORM],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.nats.close(), this.replay?.close()]);
  }
}

/** A part of the platform under the name of its port, for what is injected by type. */
export const platformPart = <Part>(
  port: Abstract<Part>,
  part: (platform: Platform) => Part,
): FactoryProvider<Part> => ({
  provide: port,
  inject: [PLATFORM],
  useFactory: part,
});

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
