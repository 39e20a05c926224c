import { Socket } from 'node:net';

export interface ConnectionSettings {
  readonly applicationName: string;
  /** Silence of this length ends a connection: a machine that vanished sends no error. Without it, never. */
  readonly answerWithinMs?: number;
}

/** What node-postgres is told beside the address. */
export const connectionOptions = ({ applicationName, answerWithinMs }: ConnectionSettings) => ({
  application_name: applicationName,
  connectionTimeoutMillis: 5_000,
  keepAlive: true,
  stream: () => impatientSocket(answerWithinMs),
  onPoolCreated: releaseDeadConnections,
});

/**
 * Ends the connection itself, so that the server rolls back. node-postgres's own `query_timeout` only stops waiting:
 * the statement goes on, in a transaction that is still open on a connection that looks usable.
 */
function impatientSocket(answerWithinMs: number | undefined): Socket {
  const socket = new Socket();
  if (answerWithinMs !== undefined) {
    socket.setTimeout(answerWithinMs, () => socket.destroy(new Error(`no answer within ${answerWithinMs} ms`)));
  }
  return socket;
}

interface PooledClient {
  once(event: 'end', listener: () => void): void;
  release(destroy: boolean): void;
}

interface Pool {
  on(event: 'connect' | 'acquire', listener: (client: PooledClient) => void): void;
  on(event: 'release', listener: (error: unknown, client: PooledClient) => void): void;
}

/**
 * A connection whose COMMIT or ROLLBACK failed is never given back (kysely-org/kysely#1990): each crash of PostgreSQL
 * would take one from the pool until none is left, and closing the pool would wait for them for ever.
 */
function releaseDeadConnections(pool: Pool): void {
  const inUse = new Set<PooledClient>();
  pool.on('acquire', (client) => inUse.add(client));
  pool.on('release', (_error, client) => inUse.delete(client));
  pool.on('connect', (client) => {
    client.once('end', () => setTimeout(() => inUse.has(client) && client.release(true), LAST_WORDS_MS));
  });
}

/** Whoever used a connection when it died hears of it first and may give it back; twice would be an error. */
const LAST_WORDS_MS = 500;
