import type { Service } from '@millrace/nest-kit';
import { type Config, loadConfig } from './config.js';
import { ProjectorModule } from './projector.module.js';

export const projector: Service<Config> = {
  name: 'projector',
  loadConfig,
  module: (config) => ProjectorModule.forRoot(config),
};
