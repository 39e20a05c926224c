export { rawExchange, type RawAnswer } from './servers/raw-exchange.js';
export { startTestNats } from './servers/test-nats.js';
export {
  type LaggingNatsCluster,
  startLaggingNatsCluster,
  startTestNatsCluster,
  type TestNatsCluster,
} from './servers/test-nats-cluster.js';
export { startTestPostgres } from './servers/test-postgres.js';
export { type TestNats, type TestNatsOptions, type TestPostgres, type TestServer } from './servers/test-server.js';
