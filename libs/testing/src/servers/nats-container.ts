import { natsConfig, type NatsSettings, readNatsInfo } from '@millrace/local-servers';
import { GenericContainer } from 'testcontainers';
import { ContainerTestServer, type ServerImage } from './container-test-server.js';
import type { TestNats, TestNatsOptions } from './test-server.js';

export const startNatsContainer = (options: TestNatsOptions = {}): Promise<TestNats> =>
  ContainerTestServer.open(natsImage(() => ({ syncAlways: false, ...options })));

/** `@testcontainers/nats` is passed by: it always sets a user, and takes no configuration file. */
export const natsImage = (settingsOn: (hostPort: number) => Partial<NatsSettings>): ServerImage => ({
  port: 4222,
  urlOf: (host, port) => `nats://${host}:${port}`,
  answers: readNatsInfo,
  describe: (hostPort) =>
    new GenericContainer(process.env['TEST_NATS_IMAGE'] ?? 'nats:2.12-alpine')
      .withCopyContentToContainer([{ content: natsConfig({ ...INSIDE, ...settingsOn(hostPort) }), target: CONFIG }])
      .withCommand(['-c', CONFIG]),
});

const CONFIG = '/millrace-nats-server.conf';
const INSIDE = { host: '0.0.0.0', port: 4222, storeDir: '/data', maxStoreBytes: 2n ** 33n, syncAlways: false };
