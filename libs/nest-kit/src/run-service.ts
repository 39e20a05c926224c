import type { NatsConnection } from '@millrace/adapter-jetstream';
import type { ServiceName } from '@millrace/contracts';
import { PlatformError } from '@millrace/kernel';
import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { JetStreamServer, type JetStreamServerOptions } from './jetstream-server.js';
import { NATS } from './nats.module.js';
import { PinoLogger } from './pino-logger.js';
import type { ServiceConfig } from './service-env.js';
import { startTelemetry } from './telemetry.js';

export type HttpOptions = Extract<ConstructorParameters<typeof FastifyAdapter>[0], { frameworkErrors?: unknown }>;

export interface Service<C extends ServiceConfig> {
  readonly name: ServiceName;
  readonly loadConfig: (env: Record<string, string | undefined>) => C;
  readonly module: (config: C) => DynamicModule;
  /** What the HTTP server itself is told, e.g. how it answers what never reaches a route. */
  readonly http?: (config: C) => HttpOptions;
  /** What is to be said to the application before it is initialised. */
  readonly prepare?: (app: NestFastifyApplication, config: C) => void;
  /** Durable consumers whose messages reach the module's `@EventPattern`s. */
  readonly consumers?: (config: C, app: NestFastifyApplication) => readonly Omit<JetStreamServerOptions, 'nats'>[];
}

/** The whole life of a service's process. What keeps it from starting is one line, and its exit code is 1. */
export async function runService<C extends ServiceConfig>(
  service: Service<C>,
  env: Record<string, string | undefined>,
): Promise<void> {
  try {
    const config = service.loadConfig(env);
    const logger = new PinoLogger(service.name, config.logLevel);
    const flush = await startTelemetry(service.name, config.otlpEndpoint);
    const app = await startService(service, config, logger);
    app.enableShutdownHooks([], { useProcessExit: true });
    app.get(ShutdownFlush, { strict: false }).flush = flush;
    await app.listen(config.port, config.host);
    logger.log(`Listening on ${await app.getUrl()}`, service.name);
  } catch (error) {
    console.error(error instanceof PlatformError ? error.message : error);
    process.exit(1);
  }
}

/** Everything but the HTTP port: for tests, and for {@link runService}. */
export async function startService<C extends ServiceConfig>(
  service: Service<C>,
  config: C,
  logger: PinoLogger | false,
): Promise<NestFastifyApplication> {
  const module = service.module(config);
  const providers = [...(module.providers ?? []), ShutdownFlush];
  const root: DynamicModule = { ...module, providers };
  const app = await NestFactory.create<NestFastifyApplication>(root, new FastifyAdapter(service.http?.(config)), {
    logger,
    abortOnError: false,
  });
  service.prepare?.(app, config);
  const nats = app.get<NatsConnection>(NATS, { strict: false });
  for (const consumer of service.consumers?.(config, app) ?? []) {
    app.connectMicroservice({ strategy: new JetStreamServer({ nats, ...consumer }) });
  }
  await app.startAllMicroservices();
  return app;
}

/** Sends the last spans before the process ends. */
class ShutdownFlush {
  flush: () => Promise<void> = async () => {};

  async onApplicationShutdown(): Promise<void> {
    await this.flush();
  }
}
