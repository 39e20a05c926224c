import { type ClientOptions, connect, type Connection } from './connect.js';
import type { RunRoutes } from './routes/run.routes.js';
import { type FeedItem, type FeedOptions, streamFeed } from './stream/event-feed.js';

export interface MillraceClient extends Omit<Connection, 'transport'> {
  /** A run's public events as they happen. */
  readonly streamRun: RunRoutes['stream'];
  /** The public events of all runs of the tenant: an inbox of questions, a wall of failures. */
  readonly streamFeed: (options?: FeedOptions) => AsyncGenerator<FeedItem>;
}

export const createClient = (options: ClientOptions): MillraceClient => {
  const { transport, runs, agents, threads } = connect(options);
  return {
    runs,
    agents,
    threads,
    streamRun: (runId, how) => runs.stream(runId, how),
    streamFeed: (which) => streamFeed(transport, which),
  };
};
