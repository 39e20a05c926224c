import type { Service } from '@millrace/nest-kit';
import { answerFrameworkError, tellBrowsers } from '@millrace/nest-kit/http';
import { type Config, loadConfig } from './config.js';
import { RunApiModule } from './run-api.module.js';

export const runApi: Service<Config> = {
  name: 'run-api',
  loadConfig,
  module: (config) => RunApiModule.forRoot(config),
  prepare: (app, { cors }) => tellBrowsers(app, cors),
  http: { frameworkErrors: answerFrameworkError },
};
