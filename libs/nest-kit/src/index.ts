export { JETSTREAM, JetStreamContext, JetStreamServer, type JetStreamServerOptions } from './jetstream-server.js';
export { ConsumerController, PassErrorsOn } from './pass-errors-on.filter.js';
export { startTelemetry } from './telemetry.js';
