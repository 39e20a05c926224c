import { type Database, type DatabaseOptions, openDatabase } from './database.js';
import { DatabaseUnavailable } from './database-errors.js';

/**
 * A name only one process holds at a time. PostgreSQL lets go of it with the holder's connection, so a crash frees it
 * at once. Between losing the connection and noticing, two may believe they hold it: what they write must be guarded
 * by itself, as ProjectionStore does.
 */
export class ExclusiveLock {
  readonly #lost = new AbortController();
  #heartbeat: NodeJS.Timeout | undefined;

  private constructor(
    readonly name: string,
    private readonly session: Database,
    private readonly backend: number,
  ) {}

  /** Undefined when somebody else holds it. */
  static async tryAcquire(
    options: Pick<DatabaseOptions, 'url' | 'applicationName'>,
    name: string,
  ): Promise<ExclusiveLock | undefined> {
    // A connection of its own, which nothing else can occupy and whose end ends the lock.
    const session = await openDatabase({
      ...options,
      maxConnections: 1,
      idleTimeoutMs: 0,
      answerWithinMs: 4 * HEARTBEAT_MS,
    });
    try {
      const [row] = await session.query<{ held: boolean; backend: number }>(
        'select pg_try_advisory_lock(hashtextextended(?, 0)) as held, pg_backend_pid() as backend',
        [name],
      );
      if (row?.held === true) {
        const lock = new ExclusiveLock(name, session, row.backend);
        lock.#heartbeat = setInterval(() => void lock.#check(), HEARTBEAT_MS);
        return lock;
      }
    } catch (error) {
      await session.close();
      throw error;
    }
    await session.close();
    return undefined;
  }

  /** Aborts, with the reason, once the lock is held no more. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  async release(): Promise<void> {
    clearInterval(this.#heartbeat);
    await this.session.close();
  }

  async #check(): Promise<void> {
    try {
      const [row] = await this.session.query<{ backend: number }>('select pg_backend_pid() as backend');
      if (row?.backend === this.backend) return; // else the pool has made a new connection, without the lock
      this.#lose(new DatabaseUnavailable(`The connection that held ${this.name} was lost`));
    } catch (error) {
      this.#lose(error);
    }
  }

  #lose(reason: unknown): void {
    clearInterval(this.#heartbeat);
    this.#lost.abort(reason);
  }
}

const HEARTBEAT_MS = 2_000;
