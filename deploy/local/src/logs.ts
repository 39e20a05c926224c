import { readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { Home } from './home.js';

/** Each start begins new logs and keeps those of the one before, so that they never grow for ever. */
export function beginLogs({ logs }: Home): void {
  for (const name of readdirSync(logs)) {
    if (name.endsWith('.log') && name !== LAUNCHER_LOG) renameSync(join(logs, name), join(logs, `${name}.1`));
  }
}

/** Open already when the launcher that writes it starts. */
export const LAUNCHER_LOG = 'launcher.log';

export const logFileOf = ({ logs }: Home, name: string): string => join(logs, `${name}.log`);
