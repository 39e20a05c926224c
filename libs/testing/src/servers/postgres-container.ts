import { executeSql } from '@millrace/local-servers';
import { PostgreSqlContainer } from '@testcontainers/postgresql';
import { ContainerTestServer } from './container-test-server.js';
import { withDatabases } from './test-postgres.js';
import type { TestPostgres } from './test-server.js';

/** Trusts whoever connects and does not wait for the disk, like the one that runs as a process. */
export async function startPostgresContainer(): Promise<TestPostgres> {
  const server = await ContainerTestServer.open({
    port: 5432,
    urlOf: (host, port) => `postgresql://postgres@${host}:${port}/postgres`,
    answers: (url) => executeSql(url, 'SELECT 1'),
    describe: () =>
      new PostgreSqlContainer(process.env['TEST_POSTGRES_IMAGE'] ?? 'postgres:18-alpine')
        .withUsername('postgres')
        .withDatabase('postgres')
        .withEnvironment({ POSTGRES_HOST_AUTH_METHOD: 'trust' })
        .withCommand(['postgres', '-c', 'fsync=off', '-c', 'full_page_writes=off', '-c', 'max_connections=200']),
  });
  return withDatabases(server, (sql) => executeSql(server.url, sql));
}
