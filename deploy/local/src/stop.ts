import { isRunning } from '@millrace/local-servers';
import { setTimeout as pause } from 'node:timers/promises';
import type { Home } from './home.js';
import { AlreadyRunning } from './launcher-errors.js';
import { clearStaleLock, runningLauncher } from './launcher-lock.js';

/** Resolves when all of it is gone, with what to tell people. */
export async function stopStack(home: Home): Promise<string> {
  const pid = runningLauncher(home);
  if (pid === undefined) {
    clearStaleLock(home);
    return `Nothing is running in ${home.dir}.`;
  }
  process.kill(pid, 'SIGTERM');
  for (const deadline = Date.now() + STOP_MS; isRunning(pid); await pause(50)) {
    if (Date.now() > deadline)
      throw new AlreadyRunning(`Millrace (pid ${pid}) does not stop: end it with kill -9 ${pid}`);
  }
  return 'Millrace has stopped; its data is kept.';
}

const STOP_MS = 60_000;
