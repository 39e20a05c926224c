export { JETSTREAM, JetStreamContext, JetStreamServer, type JetStreamServerOptions } from './jetstream-server.js';
export { ConsumerController, PassErrorsOn } from './pass-errors-on.filter.js';
export { startTelemetry } from './telemetry.js';
export { HealthController, Readiness } from './health.controller.js';
export { KnownAgentsModule } from './known-agents.module.js';
export { NatsHealth } from './nats-health.js';
export { NATS, NatsModule, PLATFORM, platformPart } from './nats.module.js';
export { OutageLog } from './outage-log.js';
export { PinoLogger } from './pino-logger.js';
export { runService, startService, type Service } from './run-service.js';
export {
  countEnv,
  databaseUrlEnv,
  listEnv,
  parseEnv,
  serviceConfig,
  serviceEnv,
  type ServiceConfig,
} from './service-env.js';
export { consumerTroubles } from './consumer-troubles.js';
export { agentsNotLoaded, tellLeftOut } from './left-out-agents.js';
export { countSetAside, countWoken } from './counts.js';
export { SetAsideLog } from './set-aside-log.js';
