import type { Service } from '@millrace/nest-kit';
import { type Config, loadConfig } from './config.js';
import { answerFrameworkError } from './http/framework-errors.js';
import { RunApiModule } from './run-api.module.js';

export const runApi: Service<Config> = {
  name: 'run-api',
  loadConfig,
  module: (config) => RunApiModule.forRoot(config),
  http: { frameworkErrors: answerFrameworkError },
};
