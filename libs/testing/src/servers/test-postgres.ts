import { executeSql, startPostgres } from '@millrace/local-servers';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalTestServer } from './local-test-server.js';
import { type TestPostgres, type TestServer, usesContainers } from './test-server.js';

/** A PostgreSQL shared with nobody; it does not wait for the disk. */
export async function startTestPostgres(): Promise<TestPostgres> {
  if (usesContainers()) {
    const { startPostgresContainer } = await import('./postgres-container.js');
    return startPostgresContainer();
  }
  const folder = mkdtempSync(join(tmpdir(), 'millrace-test-postgres-'));
  const server = await LocalTestServer.open(folder, (port) =>
    startPostgres({ dataDir: folder, durable: false, ...(port === undefined ? {} : { port }) }),
  );
  return withDatabases(server, (sql) => executeSql(server.url, sql));
}

/** The server itself, not a copy: its pid changes when it is started again. */
export function withDatabases(server: TestServer, execute: (sql: string) => Promise<void>): TestPostgres {
  return Object.assign(server, {
    async createDatabase(name: string): Promise<string> {
      await execute(`CREATE DATABASE "${name.replaceAll('"', '""')}"`);
      const url = new URL(server.url);
      url.pathname = `/${encodeURIComponent(name)}`;
      return url.href;
    },
  });
}
