import { once } from 'node:events';
import { createServer } from 'node:net';
import { types } from 'node:util';

const given = new Set<number>();

/**
 * A port nobody listens on, and never the same one twice: several are often asked for before the first is used. Another
 * process may take it first; whoever starts a server on it tries again then.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = await listenOnce(0);
    if (given.has(port)) continue;
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
    await listenOnce(port);
    return true;
  } catch (error) {
    if (types.isNativeError(error) && 'code' in error && error.code === 'EADDRINUSE') return false;
    throw error;
  }
}

async function listenOnce(port: number): Promise<number> {
  const probe = createServer().listen(port, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new TypeError('a TCP listener has an address with a port');
  return address.port;
}
