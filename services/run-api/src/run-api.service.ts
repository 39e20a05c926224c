import type { Service } from '@millrace/nest-kit';
import { answerFrameworkError } from '@millrace/nest-kit/http';
import { type Config, loadConfig } from './config.js';
import { RunApiModule } from './run-api.module.js';

export const runApi: Service<Config> = {
  name: 'run-api',
  loadConfig,
  module: (config) => RunApiModule.forRoot(config),
  http: { frameworkErrors: answerFrameworkError },
};
