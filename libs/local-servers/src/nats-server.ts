import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { findNatsServer } from './nats-binary.js';
import { natsConfig, type NatsClusterSettings } from './nats-config.js';
import { freePort, isPortFree } from './port.js';
import { PortTaken, type ServerNotStarted } from './server-errors.js';
import { retryWhile, type RunningServer, startServer } from './start-server.js';

export interface NatsOptions {
  /** Kept between starts. Without it the store is throw-away and gone after stop(). */
  readonly storeDir?: string;
  /** Exactly this one, or PortTaken. Without it any free one. */
  readonly port?: number;
  /** On for a store that is kept, off for a throw-away one, unless said otherwise. */
  readonly syncAlways?: boolean;
  /** Serves nats-server's monitoring pages over HTTP. */
  readonly monitorPort?: number;
  readonly serverName?: string;
  readonly cluster?: NatsClusterSettings;
  /** More of nats-server's own configuration, e.g. users and permissions. */
  readonly extraConfig?: string;
  /** The executable; found or fetched when it is not given. */
  readonly binary?: string;
  readonly logFile?: string;
}

export interface RunningNats extends RunningServer {
  readonly port: number;
  readonly storeDir: string;
}

/** A nats-server with JetStream on this machine's loopback address. */
export async function startNats(options: NatsOptions = {}): Promise<RunningNats> {
  const binary = options.binary ?? (await findNatsServer()).path;
  const throwAway = options.storeDir === undefined;
  const storeDir = resolve(options.storeDir ?? mkdtempSync(join(tmpdir(), 'millrace-nats-')));
  mkdirSync(storeDir, { recursive: true, mode: 0o700 });
  const discard = () => {
    if (throwAway) rmSync(storeDir, { recursive: true, force: true });
  };
  try {
    const { child, port } = await retryWhile(
      (failure) => options.port === undefined && isPortConflict(failure),
      3,
      async () => startOn(options.port ?? (await freePort())),
    );
    return {
      url: `nats://${LOOPBACK}:${port}`,
      port,
      storeDir,
      pid: child.pid,
      exited: child.exited,
      kill: (signal) => child.kill(signal),
      async stop() {
        await child.stop('SIGTERM', 10_000);
        discard();
      },
    };
  } catch (error) {
    discard();
    throw error;
  }

  async function startOn(port: number) {
    // nats-server retries a taken port for a while before it gives up: asking first answers at once.
    if (options.port !== undefined && !(await isPortFree(port))) throw new PortTaken(port);
    const configFile = join(storeDir, 'nats-server.conf');
    const syncAlways = options.syncAlways ?? !throwAway;
    const maxStoreBytes = mostOfTheDisk(storeDir) / BigInt(options.cluster?.size ?? 1);
    writeFileSync(configFile, natsConfig({ ...options, host: LOOPBACK, port, storeDir, maxStoreBytes, syncAlways }), {
      mode: 0o600,
    });
    const child = await startServer({
      name: 'nats-server',
      spawn: { command: binary, args: ['-c', configFile] },
      isReady: (output) => output.includes('Server is ready'),
      startTimeoutMs: 60_000, // a large store is checked first
      ...(options.logFile === undefined ? {} : { logFile: options.logFile }),
    });
    return { child, port };
  }
}

const LOOPBACK = '127.0.0.1';

function mostOfTheDisk(dir: string): bigint {
  const { bavail, bsize } = statfsSync(dir, { bigint: true });
  return (bavail * bsize * 8n) / 10n;
}

const isPortConflict = ({ output }: ServerNotStarted): boolean => output.includes('address already in use');
