import { isPortFree, PortTaken, preferPort } from '@millrace/local-servers';
import type { LauncherConfig } from './config.js';

/** The one that was asked for, or an error; else the usual one, or any free one when that is taken. */
export async function choosePort({ ports }: LauncherConfig, variable: string, usual: number): Promise<number> {
  const asked = ports.get(variable);
  if (asked === undefined) return preferPort(usual);
  if (!(await isPortFree(asked))) throw new PortTaken(asked);
  return asked;
}
