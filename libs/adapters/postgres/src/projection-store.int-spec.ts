import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startTestPostgres, type TestPostgres } from '@millrace/testing/servers';
import { APP_ROLE, appDatabaseUrl } from './app-role.js';
import { type Database, openDatabase } from './database.js';
import { migrate } from './migrate.js';
import { ProjectionStore } from './projection-store.js';

let postgres: TestPostgres;
let app: Database;
let store: ProjectionStore;
let projection: string;
let count = 0;

beforeAll(async () => {
  postgres = await startTestPostgres();
  const url = await postgres.createDatabase('store');
  await migrate({ ownerUrl: url, appPassword: 'secret' });
  const owner = await openDatabase({ url, applicationName: 'spec' });
  await owner.query('create table applied (projection text, stream_sequence int)');
  await owner.query(`grant select, insert on applied to ${APP_ROLE}`);
  await owner.close();
  // As few connections as the specs need: one that is lost and never given back shows.
  app = await openDatabase({ url: appDatabaseUrl(url, 'secret'), applicationName: 'spec', maxConnections: 2 });
  store = new ProjectionStore(app);
});
afterAll(async () => {
  await app.close();
  await postgres.stop();
});
beforeEach(() => {
  projection = `projection-${++count}`;
});

/** Applies the events after `from` up to and with `to`, one row each. */
const apply = (from: number, to: number): Promise<void> =>
  store.commit(projection, from, to, async (em) => {
    for (let at = from + 1; at <= to; at++) await em.execute('insert into applied values (?, ?)', [projection, at]);
  });

const applied = async (): Promise<number[]> => {
  const sql = 'select stream_sequence as at from applied where projection = ? order by 1';
  return (await app.query<{ at: number }>(sql, [projection])).map(({ at }) => at);
};

describe('ProjectionStore', () => {
  it('begins at 0 and goes on where the last commit ended', async () => {
    expect(await store.load(projection)).toBe(0);
    await apply(0, 2);
    await apply(2, 3);
    expect(await store.load(projection)).toBe(3);
    expect(await applied()).toEqual([1, 2, 3]);
  });

  it('keeps neither rows nor position when applying fails, and lets the error through', async () => {
    await store.load(projection);
    await expect(
      store.commit(projection, 0, 1, async (em) => {
        await em.execute('insert into applied values (?, 1)', [projection]);
        throw new TypeError('cannot be applied');
      }),
    ).rejects.toThrow(new TypeError('cannot be applied'));
    expect([await store.load(projection), await applied()]).toEqual([0, []]);
  });

  it('lets one of two win that apply the same events at the same time', async () => {
    await store.load(projection);
    const outcomes = await Promise.allSettled([apply(0, 3), apply(0, 3)]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'POSITION_MOVED' } });
    expect([await store.load(projection), await applied()]).toEqual([3, [1, 2, 3]]);
  });

  it('refuses to go on from a position that was never reached', async () => {
    await store.load(projection);
    await expect(apply(7, 8)).rejects.toMatchObject({ code: 'POSITION_MOVED', redelivery: 'retry' });
    expect(await applied()).toEqual([]);
  });

  it('takes a statement the database refuses for an error of ours, not for an outage', async () => {
    await store.load(projection);
    const broken = store.commit(
      projection,
      0,
      1,
      async (em) => void (await em.execute('insert into applied values (1/0)')),
    );
    await expect(broken).rejects.toMatchObject({ code: 'DATABASE_REFUSED', redelivery: 'park' });
  });

  it('says that a database is not migrated', async () => {
    const url = await postgres.createDatabase('empty');
    const empty = await openDatabase({ url, applicationName: 'spec' });
    await expect(new ProjectionStore(empty).load('any')).rejects.toMatchObject({ code: 'DATABASE_NOT_MIGRATED' });
    await empty.close();
  });

  it('gives up on a server that hangs, and leaves nothing half done on a connection that is used again', async () => {
    await store.load(projection);
    const url = appDatabaseUrl(postgres.url.replace(/postgres$/, 'store'), 'secret');
    const impatient = await openDatabase({ url, applicationName: 'spec', maxConnections: 1, answerWithinMs: 200 });
    const hanging = new ProjectionStore(impatient).commit(projection, 0, 1, async (em) => {
      await postgres.pause();
      await em.execute('insert into applied values (?, 1)', [projection]);
    });
    await expect(hanging).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' });
    await postgres.resume();

    expect(await new ProjectionStore(impatient).load(projection)).toBe(0);
    expect(await applied()).toEqual([]);
    await impatient.close();
  });

  it('applies all of a batch or nothing when PostgreSQL is killed, and works again by itself once it is back', async () => {
    let at = await store.load(projection);
    for (let kills = 0; kills < 3; kills++) {
      const begun = at;
      const failure = (async () => {
        for (;;) {
          await apply(at, at + 5);
          at += 5;
        }
      })().catch((error: unknown) => error);
      await commits(begun + 10);
      await postgres.kill('SIGKILL');
      expect(await failure).toMatchObject({ code: 'DATABASE_UNAVAILABLE', redelivery: 'retry' });

      await postgres.restart();
      at = await store.load(projection);
      expect(await applied()).toEqual(Array.from({ length: at }, (_, index) => index + 1));
    }

    async function commits(target: number): Promise<void> {
      while (at < target) await new Promise((resolve) => setImmediate(resolve));
    }
  });
});
