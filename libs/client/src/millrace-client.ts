import { type ClientOptions, connect, type Connection } from './connect.js';
import type { RunRoutes } from './routes/run.routes.js';

export interface MillraceClient extends Omit<Connection, 'transport'> {
  /** A run's public events as they happen. */
  readonly streamRun: RunRoutes['stream'];
}

export const createClient = (options: ClientOptions): MillraceClient => {
  const { runs, agents, threads } = connect(options);
  return { runs, agents, threads, streamRun: (runId, how) => runs.stream(runId, how) };
};
