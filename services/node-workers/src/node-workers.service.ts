import { STREAMS } from '@millrace/adapter-jetstream';
import { consumerTroubles, type Service } from '@millrace/nest-kit';
import { type Config, loadConfig } from './config.js';
import { NodeWorkersModule } from './node-workers.module.js';

export const nodeWorkers: Service<Config> = {
  name: 'node-workers',
  loadConfig,
  module: (config) => NodeWorkersModule.forRoot(config),
  consumers: ({ concurrency, graceMs }) => [
    // A retry and a crash are deliveries as well; how often a node may fail is its own policy's word.
    {
      ...{ stream: STREAMS.tasks, durable: 'node-workers', concurrency, graceMs, maxAttempts: 1_000 },
      ...consumerTroubles('Tasks', 'node-workers'),
    },
  ],
};
