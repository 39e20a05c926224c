import 'reflect-metadata';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  connectNats,
  JetStreamBlobStore,
  JetStreamRunLog,
  NATS_USERS,
  type NatsConnection,
  natsUsers,
  setUpTopology,
  UlidEventIds,
} from '@millrace/adapter-jetstream';
import {
  appDatabaseUrl,
  migrate,
  openDatabase,
  ProjectionStore,
  RunReader,
  type Database,
} from '@millrace/adapter-postgres';
import {
  aRunId,
  aTenantId,
  FACT_FIXTURES,
  RunId,
  type RunEventKind,
  type RunFactOf,
  type RunRef,
} from '@millrace/contracts';
import { EMPTY_TAIL, type Tail } from '@millrace/ports';
import { foldRunRows } from '@millrace/run-views';
import { playRun } from '@millrace/testing';
import { startTestNats, startTestPostgres, type TestNats, type TestPostgres } from '@millrace/testing/servers';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { loadConfig } from './config.js';
import { ProjectorModule } from './projector.module.js';
import { readModels } from './read-models.projection.js';

const PASSWORDS = Object.fromEntries(NATS_USERS.map((name) => [name, 'secret'])) as Record<
  (typeof NATS_USERS)[number],
  string
>;

let servers: { nats: TestNats; postgres: TestPostgres };
let admin: NatsConnection | undefined;
let database: Database;
let databaseUrl: string;
let tail: Tail = EMPTY_TAIL;
const apps: NestFastifyApplication[] = [];

beforeAll(async () => {
  const [nats, postgres] = await Promise.all([
    startTestNats({ extraConfig: natsUsers(PASSWORDS) }),
    startTestPostgres(),
  ]);
  servers = { nats, postgres };
  await setUp();
  const ownerUrl = await postgres.createDatabase('projector');
  await migrate({ ownerUrl, appPassword: 'secret' });
  databaseUrl = appDatabaseUrl(ownerUrl, 'secret');
});
afterAll(async () => {
  await admin?.close();
  await Promise.all([servers.nats.stop(), servers.postgres.stop()]);
});
beforeEach(async () => {
  database = await openDatabase({ url: databaseUrl, applicationName: 'spec' });
});
afterEach(async () => {
  await Promise.all(apps.splice(0).map((app) => app.close()));
  await database.close();
});

/** As the broker knows it: the projector's own user may do no more than it needs. */
function natsUrl(user: (typeof NATS_USERS)[number]): string {
  return servers.nats.url.replace('nats://', `nats://${user}:secret@`);
}

/** Through a new connection: the old one may not know yet that the server is back. */
async function setUp(): Promise<void> {
  await admin?.close();
  admin = await connectNats({ url: natsUrl('admin'), name: 'spec' });
  await setUpTopology(admin, { maxLogBytes: 100_000_000, maxBlobBytes: 100_000_000 });
}

async function startProjector(): Promise<NestFastifyApplication> {
  const config = loadConfig({ NATS_URL: natsUrl('projector'), DATABASE_URL: databaseUrl });
  const app = await NestFactory.create<NestFastifyApplication>(ProjectorModule.forRoot(config), new FastifyAdapter(), {
    logger: false,
    abortOnError: false,
  });
  await app.init();
  await app.getHttpAdapter().getInstance().ready();
  apps.push(app);
  return app;
}

async function append<K extends RunEventKind>(kind: K, overrides: Partial<RunFactOf<K>> = {}): Promise<number> {
  if (admin === undefined) throw new Error('set up first');
  const log = new JetStreamRunLog(admin, new JetStreamBlobStore(admin));
  const draft = {
    ...FACT_FIXTURES[kind],
    ...overrides,
    eventId: new UlidEventIds().next(),
    ts: '2026-01-12T10:00:00.000Z',
  };
  ({ tail } = await log.append({ tenantId: aTenantId, runId: aRunId }, draft, tail));
  return tail.streamSequence;
}

/** The same numbers on every machine. */
const rolled = (seed: number): number[] =>
  Array.from({ length: 120 }, (_, index) => Math.imul(seed * 7_919 + index * 104_729 + 1, 2_654_435_761) >>> 0);

async function appendRun(run: RunRef, seed: number): Promise<number> {
  if (admin === undefined) throw new Error('set up first');
  const log = new JetStreamRunLog(admin, new JetStreamBlobStore(admin));
  const ids = new UlidEventIds();
  let end = EMPTY_TAIL;
  for (const fact of playRun(rolled(seed)).flatMap(({ facts }) => facts)) {
    ({ tail: end } = await log.append(run, { ...fact, eventId: ids.next(), ts: '2026-01-12T10:00:00.000Z' }, end));
  }
  return end.streamSequence;
}

async function eventually(claim: () => Promise<void>): Promise<void> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    try {
      return await claim();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

const projected = (): Promise<number> => new ProjectionStore(database).load(readModels.name);

const health = async (app: NestFastifyApplication) => {
  const { statusCode, body } = await app.inject({ method: 'GET', url: '/health/ready' });
  return { statusCode, ...(JSON.parse(body) as { role: string; position: number; lagMs: number; poisoned: number }) };
};

const isActive = (app: NestFastifyApplication) => async () =>
  expect(await health(app)).toMatchObject({ statusCode: 200, role: 'active' });

describe('the projector', () => {
  it('follows the log with the rights of its own users, and passes over deltas', async () => {
    await append('RunRequested');
    const app = await startProjector();
    const started = await append('RunStarted');
    await eventually(async () => expect(await projected()).toBe(started));
    await append('TokenDelta');
    const finished = await append('NodeFinished');
    await eventually(async () => expect(await health(app)).toMatchObject({ statusCode: 200, position: finished }));
    expect((await app.inject({ method: 'GET', url: '/health/live' })).statusCode).toBe(200);
  });

  it('leaves rows that are the fold of the log, for 50 runs at once', async () => {
    await startProjector();
    const runs = Array.from({ length: 50 }, (_, index) => ({
      tenantId: aTenantId,
      runId: RunId.parse(`01JF${String(index).padStart(22, '0')}`),
    }));
    const ends = await Promise.all(runs.map(appendRun));
    await eventually(async () => expect(await projected()).toBeGreaterThanOrEqual(Math.max(...ends)));

    if (admin === undefined) throw new Error('set up first');
    const log = new JetStreamRunLog(admin, new JetStreamBlobStore(admin));
    const reader = new RunReader(database);
    for (const { tenantId, runId } of runs) {
      const rows = foldRunRows((await log.read({ tenantId, runId })).events);
      expect(rows.run).toBeDefined();
      expect({
        run: await reader.get(tenantId, runId),
        steps: await reader.steps(tenantId, runId),
        messages: await reader.messages(tenantId, runId),
        toolCalls: await reader.toolCalls(tenantId, runId),
        inputRequests: await reader.inputRequests(tenantId, runId),
        logs: await reader.logs(tenantId, runId),
        trail: await reader.trail(tenantId, runId),
        checkpoints: await reader.checkpoints(tenantId, runId),
        deadLetter: await reader.deadLetter(tenantId, runId),
      }).toEqual(rows);
    }
  });

  it('sets an event aside that no table takes, and applies the others of its batch', async () => {
    const poison = await append('CheckpointSaved', { iteration: 2 ** 40 });
    const last = await append('LogWritten', { message: 'behind the poison' });
    const app = await startProjector();
    await eventually(async () => expect(await health(app)).toMatchObject({ position: last, poisoned: 1 }));
    expect((await health(app)).lagMs).toBeGreaterThan(0);

    const logs = await new RunReader(database).logs(aTenantId, aRunId);
    expect(logs).toMatchObject([{ message: 'behind the poison' }]);
    const set = await database.transaction(async (em) => {
      await em.execute(`select set_config('app.projector', 'on', true)`);
      return em.execute('select stream_sequence::int as at, what, run_id from projection_poison');
    });
    expect(set).toEqual([{ at: poison, what: 'CheckpointSaved', run_id: aRunId }]);
  });

  it('goes on by itself after NATS was gone', async () => {
    const app = await startProjector();
    await eventually(isActive(app));
    await servers.nats.kill('SIGKILL');
    await eventually(async () => expect(await health(app)).toMatchObject({ statusCode: 503 }));
    await servers.nats.restart();
    await setUp(); // what lives in memory is made anew by whoever starts the server
    await eventually(isActive(app));
    const last = await append('NodeStarted');
    await eventually(async () => expect(await projected()).toBe(last));
  });

  it('goes on by itself after PostgreSQL was gone, with what was appended meanwhile', async () => {
    const app = await startProjector();
    await eventually(isActive(app));
    await servers.postgres.kill('SIGKILL');
    const last = await append('NodeStarted');
    await eventually(async () => expect(await health(app)).toMatchObject({ statusCode: 503, role: 'waiting' }));
    await servers.postgres.restart();
    await eventually(isActive(app));
    await eventually(async () => expect(await projected()).toBe(last));
  });

  it('lets a second instance stand by, which takes over when the first one stops', async () => {
    const first = await startProjector();
    await eventually(isActive(first));
    const second = await startProjector();
    await eventually(async () => expect(await health(second)).toMatchObject({ statusCode: 200, role: 'standby' }));

    apps.splice(apps.indexOf(first), 1);
    await first.close();
    const last = await append('NodeStarted');
    await eventually(isActive(second));
    await eventually(async () => expect(await projected()).toBe(last));
  });
});
