import { STREAMS } from '@millrace/adapter-jetstream';
import { consumerTroubles, type Service } from '@millrace/nest-kit';
import { type Config, loadConfig } from './config.js';
import { OrchestratorModule } from './orchestrator.module.js';

const GRACE_MS = 5_000;

export const orchestrator: Service<Config> = {
  name: 'orchestrator',
  loadConfig,
  module: (config) => OrchestratorModule.forRoot(config),
  consumers: ({ concurrency }) => {
    // A message that is parked would leave its run where it is: it is tried for hours first.
    const settings = { concurrency, graceMs: GRACE_MS, maxAttempts: 1_000 };
    return [
      { ...settings, ...consumerTroubles('Oversee', 'orchestrator'), stream: STREAMS.runs, durable: 'orchestrator' },
      {
        ...settings,
        ...consumerTroubles('Timers', 'orchestrator-timers'),
        ...{ stream: STREAMS.timers, durable: 'orchestrator-timers', concurrency: 4 },
      },
    ];
  },
};
