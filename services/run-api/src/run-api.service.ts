import { STREAMS } from '@millrace/adapter-jetstream';
import { consumerTroubles, type Service } from '@millrace/nest-kit';
import {
  answerClientError,
  answerFrameworkError,
  takeJsonOnly,
  tellAllowedMethods,
  tellBrowsers,
} from '@millrace/nest-kit/http';
import { type Config, loadConfig } from './config.js';
import { redirectDocsSlash } from './documents/docs-slash.js';
import { RunApiModule } from './run-api.module.js';

export const runApi: Service<Config> = {
  name: 'run-api',
  loadConfig,
  module: (config) => RunApiModule.forRoot(config),
  prepare: (app, { cors }) => {
    tellBrowsers(app, cors);
    takeJsonOnly(app);
    tellAllowedMethods(app);
    redirectDocsSlash(app);
  },
  http: ({ trustedProxies }) => ({
    frameworkErrors: answerFrameworkError,
    clientErrorHandler: answerClientError,
    trustProxy: trustedProxies.length === 0 ? false : [...trustedProxies],
  }),
  consumers: () => [
    // A message that is parked would leave a retry half made: it is tried for hours first.
    {
      ...{ stream: STREAMS.runs, durable: 'run-api-retries', concurrency: 8, graceMs: 5_000, maxAttempts: 1_000 },
      ...consumerTroubles('Retries', 'run-api-retries'),
    },
  ],
};
