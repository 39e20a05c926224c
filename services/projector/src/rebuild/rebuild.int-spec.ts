import 'reflect-metadata';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { JetStreamBlobStore, JetStreamEventFeed } from '@millrace/adapter-jetstream';
import { type Database, openDatabase, RunReader, SecondTables } from '@millrace/adapter-postgres';
import { aTenantId, RunId, type RunRef, subjects } from '@millrace/contracts';
import type { EventFeed } from '@millrace/ports';
import { eventually, ProjectorWorld } from '../projector-world.for-spec.js';
import { readModels } from '../read-models.projection.js';
import { type Rebuilt, rebuild } from './rebuild.js';

let world: ProjectorWorld;
let owner: Database;
let readerRole: Database;
let ends: number[];
const runs = Array.from({ length: 40 }, (_, index) => aRun(index));

beforeAll(async () => {
  world = await ProjectorWorld.start();
  owner = await openDatabase({ url: world.postgres.ownerUrl, applicationName: 'spec' });
  readerRole = await openDatabase({ url: world.postgres.urlFor('run-api'), applicationName: 'spec' });
  await world.startProjector();
  ends = await Promise.all(runs.map((run, seed) => world.appendRun(run, seed)));
  await world.nats.request(subjects.event({ ...aRun(999), kind: 'RunStarted' }), 'no event');
  await isProjected(Math.max(...ends) + 1);
});
afterAll(async () => {
  await owner?.close();
  await readerRole?.close();
  await world.stop();
});

function aRun(number: number): RunRef {
  return { tenantId: aTenantId, runId: RunId.parse(`01JF${String(number).padStart(22, '0')}`) };
}

const isProjected = (position: number): Promise<void> =>
  eventually(async () => expect(await world.projected()).toBeGreaterThanOrEqual(position));

const feed = (): EventFeed => new JetStreamEventFeed(world.nats, new JetStreamBlobStore(world.nats));

async function rebuilt(from: EventFeed = feed(), signal = new AbortController().signal): Promise<Rebuilt> {
  const tables = await SecondTables.create(world.postgres.ownerUrl, readModels.name);
  try {
    return await rebuild({ projection: readModels, feed: from, tables, signal });
  } finally {
    await tables.close();
  }
}

/** Every row of every table, and what the tables are: columns, constraints, indexes, walls and rights. */
async function everything(): Promise<Record<string, unknown>> {
  const tables = await owner.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
     and relname not in ('projection_position', 'mikro_orm_migrations') order by 1`,
  );
  const found: Record<string, unknown> = {};
  for (const { name } of tables) {
    found[name] = {
      rows: (await owner.query<{ row: string }>(`select t::text as row from "${name}" t order by 1`)).map(
        ({ row }) => row,
      ),
      table: await owner.query(
        `select relrowsecurity, relforcerowsecurity, relowner::regrole::text as owner, array(select unnest(relacl)::text order by 1) as rights,
           (select array_agg(format('%s %s %s', attname, format_type(atttypid, atttypmod), attnotnull) order by attnum)
            from pg_attribute where attrelid = c.oid and attnum > 0) as columns,
           (select array_agg(conname || ' ' || pg_get_constraintdef(oid) order by conname) from pg_constraint where conrelid = c.oid) as rules,
           (select array_agg(indexdef order by indexname) from pg_indexes where schemaname = 'public' and tablename = c.relname) as indexes,
           (select array_agg(format('%s %s %s %s', policyname, cmd, qual, with_check) order by policyname) from pg_policies
            where schemaname = 'public' and tablename = c.relname) as policies
         from pg_class c where oid = ?::regclass`,
        [`public."${name}"`],
      ),
    };
  }
  return found;
}

const leftovers = (): Promise<object[]> =>
  owner.query(`select nspname from pg_namespace where nspname like 'millrace_rebuild%'`);

describe('A rebuild', () => {
  it('ends with the same rows, walls, rules and rights, and leaves nothing behind', async () => {
    await owner.query('do $$ begin create role reports; exception when duplicate_object then null; end $$');
    await owner.query('grant select on table runs to reports');
    const before = await everything();
    const tableOf = () => owner.query(`select 'runs'::regclass::oid::int as oid`);
    const first = await tableOf();
    expect(await rebuilt()).toEqual({ events: expect.any(Number), poisoned: 1 });
    expect(await everything()).toEqual(before);
    expect(await tableOf()).not.toEqual(first);
    expect(await leftovers()).toEqual([]);
  });

  it('mends rows that are wrong, missing or too many', async () => {
    const before = await everything();
    await owner.query(`update runs set status = 'FAILED', agent = 'nobody'`);
    await owner.query(`delete from trail where position > 3`);
    await owner.query(`update messages set run_id = reverse(run_id) where position = 0`);
    expect(await everything()).not.toEqual(before);
    await rebuilt();
    expect(await everything()).toEqual(before);
  });

  it('lets everybody read whole answers and the projector go on meanwhile', async () => {
    const reader = new RunReader(readerRole);
    const expected = new Map<string, number>();
    for (const { runId } of runs) expected.set(runId, (await reader.trail(aTenantId, runId)).length);
    const done = new AbortController();
    let reads = 0;
    const reading = Array.from({ length: 2 }, async () => {
      for (; !done.signal.aborted; reads++) {
        const { runId = '' } = runs[reads % runs.length] ?? {};
        expect((await reader.trail(aTenantId, runId)).length).toBe(expected.get(runId));
        expect((await reader.list(aTenantId, { limit: 100 })).runs.length).toBeGreaterThanOrEqual(runs.length);
      }
    });
    let last = 0;
    const writing = (async () => {
      for (let number = 100; number < 115 || last === 0; number++) last = await world.appendRun(aRun(number), number);
    })();
    for (let again = 0; again < 2; again++) await rebuilt();
    await writing;
    done.abort();
    await Promise.all(reading);
    expect(reads).toBeGreaterThan(0);

    await isProjected(last);
    const projectedOn = await everything();
    await rebuilt();
    expect(await everything()).toEqual(projectedOn);
  });

  it('changes nothing when it is interrupted, and what a dead one left is removed by the next', async () => {
    const before = await everything();
    await SecondTables.create(world.postgres.ownerUrl, readModels.name).then((tables) =>
      tables.store.load(readModels.name),
    );
    expect(await leftovers()).toHaveLength(1); // as one leaves it that was killed
    const interrupted = new AbortController();
    const slow = feed();
    const batches = slow.batches.bind(slow);
    slow.batches = async function* (from) {
      for await (const batch of batches({ ...from, maxBatch: 100 })) {
        yield batch;
        interrupted.abort(new Error('interrupted'));
      }
    };
    await expect(rebuilt(slow, interrupted.signal)).rejects.toThrow('interrupted');
    expect(await leftovers()).toEqual([]);
    expect(await everything()).toEqual(before);
  });

  it('waits for a reader that takes its time, and lets others read while it waits', async () => {
    const before = await everything();
    let letGo = () => {};
    const held = new Promise<void>((resolve) => (letGo = resolve));
    let isReading = () => {};
    const begun = new Promise<void>((resolve) => (isReading = resolve));
    const slowReader = owner.transaction(async (em) => {
      await em.execute('select count(*) from runs');
      isReading();
      await held;
    });
    await begun;
    const tables = await SecondTables.create(world.postgres.ownerUrl, readModels.name);
    let attempts = 0;
    const swap = tables.swap.bind(tables);
    tables.swap = (catchUp) => {
      if (++attempts === 3) letGo();
      return swap(catchUp);
    };
    await rebuild({ projection: readModels, feed: feed(), tables, signal: new AbortController().signal });
    await tables.close();
    await slowReader;
    expect(attempts).toBeGreaterThanOrEqual(3);
    expect(await everything()).toEqual(before);
  });

  it('refuses a log that the rows cannot have come from, and a database of another version', async () => {
    const before = await everything();
    await owner.query('update projection_position set stream_sequence = stream_sequence + 1000000');
    await expect(rebuilt()).rejects.toMatchObject({ code: 'REBUILD_LOG_TOO_SHORT' });
    await owner.query('update projection_position set stream_sequence = stream_sequence - 1000000');
    await owner.query(`insert into mikro_orm_migrations (name) values ('9999-of-the-future')`);
    await expect(rebuilt()).rejects.toMatchObject({ code: 'DATABASE_NOT_MIGRATED' });
    await owner.query(`delete from mikro_orm_migrations where name = '9999-of-the-future'`);
    expect(await everything()).toEqual(before);
    expect(await leftovers()).toEqual([]);
  });
});
