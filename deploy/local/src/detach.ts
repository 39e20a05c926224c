import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { z } from 'zod';
import type { Home } from './home.js';
import { ServiceNotReady } from './launcher-errors.js';
import { LAUNCHER_LOG } from './logs.js';
import { join } from 'node:path';

/** What a launcher in the background tells whoever started it, once. */
export const Report = z.union([z.object({ running: z.string() }), z.object({ failed: z.string() })]);
export type Report = z.infer<typeof Report>;

/**
 * Starts the launcher in the background and resolves with its summary once everything runs. Until then the two hold on
 * to each other: who interrupts the wait ends the launcher as well.
 */
export async function startInBackground(home: Home, mainFile: string, isCluster: boolean): Promise<string> {
  const logFile = join(home.logs, LAUNCHER_LOG);
  const log = openSync(logFile, 'w', 0o600);
  const child = spawn(process.execPath, [mainFile, 'start', '--home', home.dir, ...(isCluster ? ['--cluster'] : [])], {
    detached: true,
    stdio: ['ignore', log, log, 'ipc'],
  });
  const report = await new Promise<Report>((resolve, reject) => {
    child.once('error', reject);
    child.once('message', (message) => resolve(Report.parse(message)));
    child.once('exit', (code) => resolve({ failed: `The launcher ended with code ${code}; its log: ${logFile}` }));
  });
  if ('failed' in report) throw new ServiceNotReady(report.failed);
  child.unref();
  return report.running;
}
