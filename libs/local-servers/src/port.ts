import { once } from 'node:events';
import { createServer } from 'node:net';
import { types } from 'node:util';

const given = new Set<number>();

/**
 * Below those the system gives to outgoing connections, from 32768 on: a client that keeps trying to reach a server
 * while it is down would one day be given that very port, and the server could not come back on it.
 */
const LOWEST = 15_000;
const HIGHEST = 32_000;

/**
 * A port nobody listens on, and never the same one twice: several are often asked for before the first is used. Another
 * process may take it first; whoever starts a server on it tries again then.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST));
    if (given.has(port) || !(await isPortFree(port))) continue;
    given.add(port);
    return port;
  }
}

/** The usual port, so that people find it where they look, or any free one when it is taken. */
export async function preferPort(usual: number): Promise<number> {
  return (await isPortFree(usual)) ? usual : freePort();
}

export async function isPortFree(port: number): Promise<boolean> {
  try {
    const probe = createServer().listen(port, '127.0.0.1');
    await once(probe, 'listening');
    probe.close();
    await once(probe, 'close');
    return true;
  } catch (error) {
    if (types.isNativeError(error) && 'code' in error && error.code === 'EADDRINUSE') return false;
    throw error;
  }
}
