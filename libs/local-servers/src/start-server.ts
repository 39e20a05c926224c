import { createWriteStream } from 'node:fs';
import { type ChildExit, type GuardedChild, type GuardedSpawn, spawnGuarded } from './guarded-child.js';
import { ServerNotStarted } from './server-errors.js';

/** A server that runs as a child of this process and ends with it. */
export interface RunningServer {
  readonly url: string;
  readonly pid: number;
  /** Ends it in good order; what was throw-away is gone afterwards. */
  stop(): Promise<void>;
  kill(signal: NodeJS.Signals): void;
  readonly exited: Promise<ChildExit>;
}

export interface ServerProcess {
  readonly name: string;
  readonly spawn: GuardedSpawn;
  /** True once what it printed so far says that it serves. */
  isReady(output: string): boolean;
  readonly startTimeoutMs: number;
  /** Everything it prints is appended here. */
  readonly logFile?: string;
}

const KEPT_OUTPUT = 20_000;

/** Starts it and waits until it says that it serves; else it is gone and the error carries what it printed. */
export async function startServer(server: ServerProcess): Promise<GuardedChild> {
  const child = await spawnGuarded(server.spawn).catch((cause: unknown) => {
    throw new ServerNotStarted(`${server.name} cannot be run`, String(cause));
  });
  const log = server.logFile === undefined ? undefined : createWriteStream(server.logFile, { flags: 'a', mode: 0o600 });
  let output = '';
  let timeout: NodeJS.Timeout | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      child.onOutput((text) => {
        log?.write(text);
        output = (output + text).slice(-KEPT_OUTPUT);
        if (server.isReady(output)) resolve();
      });
      log?.once('error', reject);
      void Promise.all([child.exited, child.silent]).then(([exit]) =>
        reject(new ServerNotStarted(`${server.name} ${describeExit(exit)}`, output)),
      );
      timeout = setTimeout(
        () => reject(new ServerNotStarted(`${server.name} was not ready after ${server.startTimeoutMs} ms`, output)),
        server.startTimeoutMs,
      );
    });
  } catch (error) {
    await child.stop('SIGKILL', 0);
    throw error;
  } finally {
    clearTimeout(timeout);
  }
  void child.silent.then(() => log?.end());
  return child;
}

export const describeExit = ({ code, signal }: ChildExit): string =>
  signal === null ? `ended with code ${code}` : `was ended by ${signal}`;

/** Tries again while the failure is one that passes by itself. */
export async function retryWhile<T>(
  passes: (failure: ServerNotStarted) => boolean,
  attempts: number,
  start: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await start();
    } catch (error) {
      if (!(error instanceof ServerNotStarted) || attempt === attempts || !passes(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, Math.min(100 * attempt, 1_000)));
    }
  }
}
