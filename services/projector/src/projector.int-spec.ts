import 'reflect-metadata';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { JetStreamDeadLetters, STREAMS, UlidEventIds } from '@millrace/adapter-jetstream';
import { ExclusiveLock, RunReader } from '@millrace/adapter-postgres';
import {
  aRunId,
  aTenantId,
  FACT_FIXTURES,
  RunId,
  type RunEventKind,
  type RunFactOf,
  subjects,
} from '@millrace/contracts';
import { EMPTY_TAIL, type Tail } from '@millrace/ports';
import { foldRunRows } from '@millrace/run-views';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { eventually, health, ProjectorWorld } from './projector-world.for-spec.js';

let world: ProjectorWorld;
let tail: Tail = EMPTY_TAIL;
beforeAll(async () => {
  world = await ProjectorWorld.start();
});
afterAll(() => world.stop());
afterEach(() => world.stopProjectors());

async function append<K extends RunEventKind>(kind: K, overrides: Partial<RunFactOf<K>> = {}): Promise<number> {
  const draft = {
    ...FACT_FIXTURES[kind],
    ...overrides,
    eventId: new UlidEventIds().next(),
    ts: '2026-01-12T10:00:00.000Z',
  };
  ({ tail } = await world.log.append({ tenantId: aTenantId, runId: aRunId }, draft, tail));
  return tail.streamSequence;
}

const isActive = (app: NestFastifyApplication) => async () =>
  expect(await health(app)).toMatchObject({ statusCode: 200, role: 'active' });

/** As nobody but the projector's own transaction may look. */
const setAside = () =>
  world.database.transaction(async (em) => {
    await em.execute(`select set_config('app.projector', 'on', true)`);
    return em.execute('select stream_sequence::int as at, what, run_id, reason from projection_poison order by 1');
  });

describe('the projector', () => {
  it('follows the log with the rights of its own users, and passes over deltas', async () => {
    await append('RunRequested');
    const app = await world.startProjector();
    const started = await append('RunStarted');
    await eventually(async () => expect(await world.projected()).toBe(started));
    await append('TokenDelta');
    const finished = await append('NodeFinished');
    await eventually(async () => expect(await health(app)).toMatchObject({ statusCode: 200, position: finished }));
    expect((await app.inject({ method: 'GET', url: '/health/live' })).statusCode).toBe(200);
  });

  it('leaves rows that are the fold of the log, for 50 runs at once', async () => {
    await world.startProjector();
    const runs = Array.from({ length: 50 }, (_, index) => ({
      tenantId: aTenantId,
      runId: RunId.parse(`01JF${String(index).padStart(22, '0')}`),
    }));
    const ends = await Promise.all(runs.map((run, seed) => world.appendRun(run, seed)));
    await eventually(async () => expect(await world.projected()).toBeGreaterThanOrEqual(Math.max(...ends)));
    for (const run of runs) {
      const rows = foldRunRows((await world.log.read(run)).events);
      expect(rows.run).toBeDefined();
      expect(await world.rowsOf(run)).toEqual(rows);
    }
  });

  it('sets an event aside that no table takes, and applies the others of its batch', async () => {
    const poison = await append('CheckpointSaved', { iteration: 2 ** 40 });
    const last = await append('LogWritten', { message: 'behind the poison' });
    const app = await world.startProjector();
    await eventually(async () => expect(await health(app)).toMatchObject({ position: last, poisoned: 1 }));

    const logs = await new RunReader(world.database).logs(aTenantId, aRunId);
    expect(logs).toMatchObject([{ message: 'behind the poison' }]);
    expect(await setAside()).toEqual([
      { at: poison, what: 'CheckpointSaved', run_id: aRunId, reason: expect.stringContaining('integer') },
    ]);
  });

  it('sets aside what is no event at all, says where it lies and goes on', async () => {
    const app = await world.startProjector();
    await eventually(isActive(app));
    const before = await setAside();
    const other = RunId.parse('01JG0000000000000000000000');
    const subject = subjects.event({ tenantId: aTenantId, runId: other, kind: 'RunStarted' });
    for (const nonsense of ['no JSON', '{"kind":"RunStarted"}', '\u0000', '']) {
      await world.nats.request(subject, nonsense);
    }
    const last = await append('LogWritten', { message: 'behind nonsense' });
    await eventually(async () => {
      expect(await health(app)).toMatchObject({ position: last, poisoned: before.length + 4 });
    });
    const set = (await setAside()).slice(before.length);
    expect(set).toEqual(
      [4, 3, 2, 1].map((back) => ({
        at: last - back,
        what: subject,
        run_id: null,
        reason: expect.stringMatching(/./),
      })),
    );
    expect(await new RunReader(world.database).logs(aTenantId, aRunId)).toHaveLength(2);
    const letters = (await new JetStreamDeadLetters(world.nats).list(100)).filter(
      (letter) => letter.subject === subject,
    );
    expect(letters).toEqual(
      [4, 3, 2, 1].map((back) =>
        expect.objectContaining({
          ...{ consumer: 'projector', streamSequence: last - back, attempts: 1 },
          reason: expect.stringContaining('[EVENT_NOT_PROJECTED]'),
        }),
      ),
    );
  });

  it('sets an event aside whose payload is lost, and takes one that is large', async () => {
    const lost = await append('LogWritten', { message: 'lost', payload: 'x'.repeat(100_000) });
    const info = await world.nats.request(`$JS.API.STREAM.PURGE.${STREAMS.blobs}`, '{}');
    expect(info.json()).toMatchObject({ success: true });
    const payload = 'y'.repeat(3_000_000);
    const last = await append('LogWritten', { message: 'large', payload });
    const app = await world.startProjector();
    await eventually(async () => expect(await health(app)).toMatchObject({ position: last, behind: 0, lagMs: 0 }));
    expect(await setAside()).toContainEqual({
      ...{ at: lost, what: expect.stringMatching(/\.LogWritten$/), run_id: null },
      reason: expect.stringContaining('has no payload'),
    });
    const logs = await new RunReader(world.database).logs(aTenantId, aRunId);
    expect(logs.at(-1)).toMatchObject({ message: 'large', payload });
    expect(logs.map(({ message }) => message)).not.toContain('lost');
  });

  it('says how far the rows are behind while nobody projects, also when it has just been started', async () => {
    const lock = await ExclusiveLock.tryAcquire(
      { url: world.databaseUrl, applicationName: 'spec' },
      'projection:read-models',
    );
    await append('LogWritten', { message: 'waits' });
    await append('LogWritten', { message: 'waits too' });
    await append('TokenDelta'); // is not waited for
    const app = await world.startProjector();
    const waiting = { role: 'standby', behind: 2, poisoned: (await setAside()).length };
    await eventually(async () => expect(await health(app)).toMatchObject(waiting));
    const { lagMs } = await health(app);
    expect((await health(app)).lagMs).toBeGreaterThanOrEqual(lagMs);
    expect(lagMs).toBeGreaterThan(0);
    await lock?.release();
    await eventually(async () => expect(await health(app)).toMatchObject({ role: 'active', behind: 0, lagMs: 0 }));
  });

  it('projects nothing as a role whom row-level security does not hold', async () => {
    const app = await world.startProjector(world.postgres.ownerUrl);
    await eventually(async () =>
      expect(await health(app)).toMatchObject({
        ...{ statusCode: 503, role: 'waiting' },
        because: expect.stringMatching(/passes by row-level security; connect as millrace_app/),
      }),
    );
  });

  it('goes on by itself after NATS was gone', async () => {
    const app = await world.startProjector();
    await eventually(isActive(app));
    await world.server.kill('SIGKILL');
    await eventually(async () => expect(await health(app)).toMatchObject({ statusCode: 503 }));
    await world.server.restart();
    await world.setUp(); // what lives in memory is made anew by whoever starts the server
    await eventually(isActive(app));
    const last = await append('NodeStarted');
    await eventually(async () => expect(await world.projected()).toBe(last));
  });

  it('goes on by itself after PostgreSQL was gone, with what was appended meanwhile', async () => {
    const app = await world.startProjector();
    await eventually(isActive(app));
    await world.postgres.kill('SIGKILL');
    const last = await append('NodeStarted');
    await eventually(async () => expect(await health(app)).toMatchObject({ statusCode: 503, role: 'waiting' }));
    await world.postgres.restart();
    await eventually(isActive(app));
    await eventually(async () => expect(await world.projected()).toBe(last));
  });

  it('lets a second instance stand by, which takes over when the first one stops', async () => {
    const first = await world.startProjector();
    await eventually(isActive(first));
    const second = await world.startProjector();
    await eventually(async () => expect(await health(second)).toMatchObject({ statusCode: 200, role: 'standby' }));

    await world.stopProjector(first);
    const last = await append('NodeStarted');
    await eventually(isActive(second));
    await eventually(async () => expect(await world.projected()).toBe(last));
  });
});
