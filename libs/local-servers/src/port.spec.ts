import { describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { freePort, isPortFree, preferPort } from './port.js';

describe('freePort', () => {
  it('gives a port one can listen on', async () => {
    const port = await freePort();

    await listening(port, async () => expect(await isPortFree(port)).toBe(false));

    expect(await isPortFree(port)).toBe(true);
  });

  it('gives nobody the same port twice', async () => {
    const ports = await Promise.all(Array.from({ length: 200 }, freePort));

    expect(new Set(ports).size).toBe(200);
  });

  it('stays below the ports of outgoing connections', async () => {
    const ports = await Promise.all(Array.from({ length: 200 }, freePort));

    expect(Math.max(...ports)).toBeLessThan(32_768);
  });
});

describe('preferPort', () => {
  it('gives the usual port while it is free', async () => {
    const usual = await freePort();

    expect(await preferPort(usual)).toBe(usual);
  });

  it('gives another one when somebody listens there', async () => {
    const usual = await freePort();

    await listening(usual, async () => {
      const port = await preferPort(usual);
      expect(port).not.toBe(usual);
      expect(await isPortFree(port)).toBe(true);
    });
  });
});

async function listening(port: number, check: () => Promise<void>): Promise<void> {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  try {
    await check();
  } finally {
    server.close();
    await once(server, 'close');
  }
}
