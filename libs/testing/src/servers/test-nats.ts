import { startNats } from '@millrace/local-servers';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalTestServer } from './local-test-server.js';
import { type TestNats, type TestNatsOptions, usesContainers } from './test-server.js';

/** A nats-server with JetStream, shared with nobody. */
export async function startTestNats(options: TestNatsOptions = {}): Promise<TestNats> {
  if (usesContainers()) {
    const { startNatsContainer } = await import('./nats-container.js');
    return startNatsContainer(options);
  }
  const storeDir = mkdtempSync(join(tmpdir(), 'millrace-test-nats-'));
  return LocalTestServer.open(storeDir, (port) =>
    startNats({ syncAlways: false, ...options, storeDir, ...(port === undefined ? {} : { port }) }),
  );
}
