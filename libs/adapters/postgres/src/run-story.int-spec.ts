import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isPublic, type RunEvent, RunId, type RunRef } from '@millrace/contracts';
import { foldRunRows, LiveStory, storyOf } from '@millrace/run-views';
import { aRunRef, playRun, raceRun, stored } from '@millrace/testing';
import { startTestPostgres, type TestPostgres } from '@millrace/testing/servers';
import fc from 'fast-check';
import { appDatabaseUrl, readerDatabaseUrl } from './app-role.js';
import { openDatabase, type Database } from './database.js';
import { migrate } from './migrate.js';
import { ProjectionStore } from './projection-store.js';
import { ReadModelTables } from './read-model-tables.js';
import { RunReader } from './run-reader.js';

let postgres: TestPostgres;
let app: Database;
let readerRole: Database;
beforeAll(async () => {
  postgres = await startTestPostgres();
  const url = await postgres.createDatabase('stories');
  await migrate({ ownerUrl: url, appPassword: 'secret', readerPassword: 'secret' });
  app = await openDatabase({ url: appDatabaseUrl(url, 'secret'), applicationName: 'spec' });
  readerRole = await openDatabase({ url: readerDatabaseUrl(url, 'secret'), applicationName: 'spec' });
});
afterAll(async () => {
  for (const database of [app, readerRole]) await database?.close();
  await postgres.stop();
});

async function store(events: readonly RunEvent[]): Promise<void> {
  const positions = new ProjectionStore(app);
  const at = await positions.load('spec');
  await positions.commit('spec', at, at + 1, (em) => new ReadModelTables(em).write([foldRunRows(events)]));
}

let count = 0;
const ref = (): RunRef => ({ ...aRunRef, runId: RunId.parse(`01JE${String(++count).padStart(22, '0')}`) });
const numbers = fc.array(fc.nat(), { minLength: 20, maxLength: 200 });
const histories = fc.oneof(
  numbers.map((rolled) => {
    const run = ref();
    return raceRun(rolled).events.map((event) => ({ ...event, ...run }));
  }),
  numbers.map((rolled) =>
    stored(
      playRun(rolled).flatMap(({ facts }) => facts),
      ref(),
    ),
  ),
);

describe('The story of a run', () => {
  it('is the same reloaded from the tables and followed live', async () => {
    const reader = new RunReader(readerRole);
    await fc.assert(
      fc.asyncProperty(histories, fc.nat(), async (events, cut) => {
        const history = events.slice(0, 1 + (cut % events.length));
        const [{ tenantId, runId } = aRunRef] = history;
        await store(history);
        const live = new LiveStory({ tenantId, runId });
        for (const event of history.filter(isPublic)) live.take(event);
        expect(storyOf(await reader.rows(tenantId, runId))).toEqual(live.story());
      }),
      { numRuns: 60 },
    );
  });

  it('is none for a run that is not there', async () => {
    expect(storyOf(await new RunReader(readerRole).rows(aRunRef.tenantId, 'nowhere'))).toBeUndefined();
  });
});
