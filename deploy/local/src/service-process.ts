import { describeExit, type GuardedChild, spawnGuarded } from '@millrace/local-servers';
import { createWriteStream } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Child } from './child-supervisor.js';
import { ServiceNotReady } from './launcher-errors.js';

export interface ServiceProcess {
  readonly name: string;
  readonly mainFile: string;
  readonly nodeArgs?: readonly string[] | undefined;
  readonly env: NodeJS.ProcessEnv;
  readonly logFile: string;
}

export interface RunningService extends Child {
  /** Resolves when it answers the address with 200; rejects when it has ended before, with the last it printed. */
  ready(url: string): Promise<void>;
}

export async function startService(service: ServiceProcess): Promise<RunningService> {
  const { name, mainFile, nodeArgs = [], env, logFile } = service;
  const args = ['--enable-source-maps', ...nodeArgs, mainFile];
  const child = await spawnGuarded({ command: process.execPath, args, env });
  const lastWords = logOutput(child, logFile);
  return {
    pid: child.pid,
    exited: child.exited,
    stop: () => child.stop('SIGTERM', GRACE_MS),
    async ready(url) {
      let ended: string | undefined;
      void Promise.all([child.exited, child.silent]).then(([exit]) => {
        ended = `${name} ${describeExit(exit)}: ${lastWords()}`;
      });
      for (const deadline = Date.now() + READY_MS; !(await answers(url));) {
        if (ended !== undefined) throw new ServiceNotReady(`${ended}\nIts log: ${logFile}`);
        if (Date.now() > deadline) throw new ServiceNotReady(`${name} is not ready after 60 s. Its log: ${logFile}`);
        await pause(100);
      }
    },
  };
}

const GRACE_MS = 15_000;
const READY_MS = 60_000;

/** Appends all it prints to its log, and remembers the end of it. */
function logOutput(child: GuardedChild, logFile: string): () => string {
  const log = createWriteStream(logFile, { flags: 'a', mode: 0o600 });
  let printed = '';
  child.onOutput((text) => {
    log.write(text);
    printed = (printed + text).slice(-2_000);
  });
  void child.silent.then(() => log.end());
  return () => printed.trim();
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(2_000) })).ok;
  } catch {
    return false; // not listening yet, or too busy: it is asked again
  }
}
