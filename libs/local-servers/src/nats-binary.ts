import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { NatsServerMissing } from './server-errors.js';

export interface NatsBinary {
  readonly path: string;
  readonly version: string;
}

/** Lies beside `src` and `dist`, so that one path serves both. */
const SCRIPT = join(import.meta.dirname, '..', 'get-nats.sh');
const run = promisify(execFile);

/**
 * A nats-server that is new enough: the one `NATS_SERVER_BIN` names, else one in the cache or on PATH, else one fetched
 * into the cache. `environment` carries the settings the script lists at its head.
 */
export async function findNatsServer(environment: NodeJS.ProcessEnv = process.env): Promise<NatsBinary> {
  try {
    const path = (await run('sh', [SCRIPT], { env: environment })).stdout.trim();
    const { stdout } = await run(path, ['--version']);
    return { path, version: /v(\d[\w.-]*)/.exec(stdout)?.[1] ?? 'unknown' };
  } catch (cause) {
    throw new NatsServerMissing(lastLineOf(cause), { cause });
  }
}

/** The script ends with one line that says what is wrong and how to fix it. */
function lastLineOf(cause: unknown): string {
  const printed = cause !== null && typeof cause === 'object' && 'stderr' in cause ? String(cause.stderr) : '';
  const last = printed.trim().split('\n').at(-1) ?? '';
  return last.replace(/^get-nats: /, '') || `nats-server cannot be run: ${String(cause)}`;
}
