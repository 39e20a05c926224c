export { spawnGuarded, type ChildExit, type Guard, type GuardedChild, type GuardedSpawn } from './guarded-child.js';
export { findNatsServer, type NatsBinary } from './nats-binary.js';
export {
  clusterAgreed,
  type NatsCluster,
  type NatsClusterOptions,
  type NatsMember,
  planNatsCluster,
} from './nats-cluster.js';
export { natsConfig, type NatsClusterSettings, type NatsSettings } from './nats-config.js';
export { readNatsInfo, requestNats } from './nats-wire.js';
export { startNats, type NatsOptions, type RunningNats } from './nats-server.js';
export { freePort, isPortFree, preferPort } from './port.js';
export { executeSql } from './postgres-wire.js';
export { startPostgres, type PostgresOptions, type RunningPostgres } from './postgres-server.js';
export { childrenOf, isRunning, isStopped, processStartedAt } from './process-state.js';
export { NatsServerMissing, PortTaken, PostgresMissing, ServerNotStarted } from './server-errors.js';
export { describeExit, type RunningServer } from './start-server.js';
export { spawnListening, type ListeningProcess } from './listening-process.js';
