import type { Service } from '@millrace/nest-kit';
import {
  answerClientError,
  answerFrameworkError,
  takeJsonOnly,
  tellAllowedMethods,
  tellBrowsers,
} from '@millrace/nest-kit/http';
import { type Config, loadConfig } from './config.js';
import { StreamGatewayModule } from './stream-gateway.module.js';

export const streamGateway: Service<Config> = {
  name: 'stream-gateway',
  loadConfig,
  module: (config) => StreamGatewayModule.forRoot(config),
  prepare: (app, { cors }) => {
    tellBrowsers(app, cors);
    takeJsonOnly(app);
    tellAllowedMethods(app);
  },
  http: () => ({ frameworkErrors: answerFrameworkError, clientErrorHandler: answerClientError }),
};
