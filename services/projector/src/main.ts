import 'reflect-metadata';
import { PlatformError } from '@millrace/kernel';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { loadConfig } from './config.js';
import { PinoLogger } from './pino-logger.js';
import { ProjectorModule } from './projector.module.js';

try {
  const config = loadConfig(process.env);
  const logger = new PinoLogger('projector', config.logLevel);
  const app = await NestFactory.create<NestFastifyApplication>(ProjectorModule.forRoot(config), new FastifyAdapter(), {
    logger,
    abortOnError: false,
  });
  app.enableShutdownHooks([], { useProcessExit: true });
  await app.listen(config.port, config.host);
  logger.log(`Listening on ${await app.getUrl()}`, 'Projector');
} catch (error) {
  console.error(error instanceof PlatformError ? error.message : error);
  process.exit(1);
}
