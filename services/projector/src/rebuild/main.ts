import { connectNats, openPlatform } from '@millrace/adapter-jetstream';
import { ExclusiveLock, SecondTables } from '@millrace/adapter-postgres';
import { PlatformError } from '@millrace/kernel';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readModels } from '../read-models.projection.js';
import { loadRebuildConfig, type RebuildConfig } from './rebuild.config.js';
import { RebuildInterrupted, RebuildRuns } from './rebuild-errors.js';
import { rebuild } from './rebuild.js';

const NAME = 'millrace-rebuild';
const WORKSPACE = join(import.meta.dirname, '..', '..', '..', '..');
const say = (line: string): void => console.log(line);
const number = new Intl.NumberFormat('en');

try {
  const read = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : undefined);
  await run(loadRebuildConfig(process.env, WORKSPACE, read));
} catch (error) {
  // An error we understand says what to do; any other one is a mistake of ours, and its stack tells where.
  console.error(error instanceof PlatformError ? error.message : error);
  process.exitCode = 1;
}

async function run({ natsUrl, databaseUrl }: RebuildConfig): Promise<void> {
  const begun = Date.now();
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => interrupted.abort(new RebuildInterrupted()));
  }
  const lock = await ExclusiveLock.tryAcquire(
    { url: databaseUrl, applicationName: NAME },
    `rebuild:${readModels.name}`,
  );
  if (lock === undefined) throw new RebuildRuns();
  await using closing = new AsyncDisposableStack();
  closing.defer(() => lock.release());
  const nats = await connectNats({ url: natsUrl, name: NAME });
  closing.defer(() => nats.close());
  const tables = await SecondTables.create(databaseUrl, readModels.name);
  closing.defer(() => tables.close());

  say(`Projecting the log again beside the rows that serve, in ${tables.description}`);
  const { events, poisoned } = await rebuild({
    projection: readModels,
    feed: openPlatform(nats).feed,
    tables,
    signal: AbortSignal.any([interrupted.signal, lock.lost]),
    onProgress: everySecond((read, of) => {
      say(`  ${number.format(read)} of ${number.format(of)} events (${Math.floor((100 * read) / of)} %)`);
    }),
  });
  const rows = Object.entries(await tables.counts()).map(([table, count]) => `${number.format(count)} ${table}`);
  const seconds = ((Date.now() - begun) / 1_000).toFixed(1);
  say(`Rebuilt from ${number.format(events)} events in ${seconds} s, ${poisoned} set aside: ${rows.join(', ')}`);
}

function everySecond(report: (read: number, of: number) => void): (read: number, of: number) => void {
  let nextAt = 0;
  return (read, of) => {
    if (Date.now() < nextAt && read < of) return;
    nextAt = Date.now() + 1_000;
    report(read, of);
  };
}
