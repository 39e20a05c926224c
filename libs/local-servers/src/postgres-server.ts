import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChildExit, GuardedChild } from './guarded-child.js';
import { freePort, isPortFree } from './port.js';
import { ownedBy, postgresBinaries, unprivileged } from './postgres-account.js';
import { initCluster, removeStaleLock } from './postgres-data.js';
import { PortTaken, type ServerNotStarted } from './server-errors.js';
import { retryWhile, type RunningServer, startServer } from './start-server.js';

export interface PostgresOptions {
  /** Kept between starts. Without it the data is throw-away and gone after stop(). */
  readonly dataDir?: string;
  /** Whether a commit survives a power failure; kill -9 it always does. On for data that is kept, off for throw-away data, unless said otherwise. */
  readonly durable?: boolean;
  /** Exactly this one, or PortTaken. Without it any free one. */
  readonly port?: number;
  readonly logFile?: string;
}

export interface RunningPostgres extends RunningServer {
  readonly port: number;
  /** May lie elsewhere than asked for: as root, where the account PostgreSQL runs as cannot reach. */
  readonly dataDir: string;
}

/** A PostgreSQL of the embedded npm binaries on this machine's loopback address; trusts whoever connects. */
export async function startPostgres(options: PostgresOptions = {}): Promise<RunningPostgres> {
  if (options.port !== undefined && !(await isPortFree(options.port))) throw new PortTaken(options.port);
  const throwAway = options.dataDir === undefined;
  const durable = options.durable ?? !throwAway;
  const account = unprivileged();
  const bin = await postgresBinaries(account);
  const dataDir = ownedBy(account, options.dataDir ?? mkdtempSync(join(tmpdir(), 'millrace-postgres-')));
  const discard = () => {
    if (throwAway) rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    await initCluster(bin, dataDir, account, durable);
    const { child, port } = await retryWhile(
      (failure) => isStillLetGo(failure) || (options.port === undefined && isPortConflict(failure)),
      50,
      async () => startOn(options.port ?? (await freePort())),
    );
    return {
      url: `postgresql://postgres@127.0.0.1:${port}/postgres`,
      port,
      dataDir,
      pid: child.pid,
      exited: gone(child),
      kill: (signal) => child.kill(signal),
      async stop() {
        await child.stop('SIGINT', 20_000); // SIGINT asks PostgreSQL for a fast shutdown; SIGTERM would wait for clients
        await gone(child);
        discard();
      },
    };
  } catch (error) {
    discard();
    throw error;
  }

  async function startOn(port: number) {
    removeStaleLock(dataDir);
    const child = await startServer({
      name: 'PostgreSQL',
      spawn: {
        ...account,
        command: join(bin, 'postgres'),
        args: ['-D', dataDir, ...flags({ port, ...SETTINGS, ...(durable ? {} : FAST) })],
        cwd: '/',
        env: { ...process.env, LC_ALL: 'C' },
      },
      isReady: (output) => output.includes('ready to accept connections'),
      startTimeoutMs: 120_000, // after a crash it reads its log first
      ...(options.logFile === undefined ? {} : { logFile: options.logFile }),
    });
    return { child, port };
  }
}

/** A PostgreSQL that was killed has processes left for a moment; they hold its data, and its output, until they go. */
const gone = async (child: GuardedChild): Promise<ChildExit> => {
  await child.silent;
  return child.exited;
};

const SETTINGS = { listen_addresses: '127.0.0.1', unix_socket_directories: '', max_connections: 200 };
/** Without synchronous_commit a commit would wait in PostgreSQL's own memory, and be lost with kill -9 as well. */
const FAST = { fsync: 'off', full_page_writes: 'off' };

const flags = (settings: Record<string, string | number>): string[] =>
  Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`]);

/** The same, of a PostgreSQL that was not ours: one whose starter was killed a moment ago. */
const isStillLetGo = ({ output }: ServerNotStarted): boolean =>
  /lock file ".*" already exists|pre-existing shared memory block/.test(output);

const isPortConflict = ({ output }: ServerNotStarted): boolean => output.includes('could not bind');
