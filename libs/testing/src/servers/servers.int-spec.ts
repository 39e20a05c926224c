import { executeSql, isPortFree, isRunning, readNatsInfo, requestNats } from '@millrace/local-servers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestNatsCluster } from './test-nats-cluster.js';
import { startTestNats } from './test-nats.js';
import { startTestPostgres } from './test-postgres.js';

/** What both kinds of server can do, whichever way they run: as processes, or with TEST_INFRA=containers. */
const KINDS = [
  { kind: 'NATS', start: () => startTestNats(), store: createStream, find: findStream },
  {
    kind: 'PostgreSQL',
    start: startTestPostgres,
    store: (url: string, name: string) => executeSql(url, `CREATE TABLE ${name} ()`),
    find: (url: string, name: string) => executeSql(url, `SELECT * FROM ${name}`),
  },
];

let folder: string;
const before = process.env['TMPDIR'];
const running: { stop(): Promise<void> }[] = [];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-servers-spec-'));
  chmodSync(folder, 0o711); // as root PostgreSQL runs as somebody else, who must be able to pass
  process.env['TMPDIR'] = folder; // what these servers leave behind is found here, and nobody else's
});
afterEach(async () => void (await Promise.all(running.splice(0).map((server) => server.stop()))));
afterAll(() => {
  if (before === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = before;
  rmSync(folder, { recursive: true, force: true });
});

describe.each(KINDS)('A $kind of a suite', ({ start, store, find }) => {
  const opened = () => start().then(noted);

  it('is shared with nobody, however many there are', async () => {
    const [mine, ...others] = await Promise.all([opened(), opened(), opened()]);

    await store(mine.url, 'mine');

    await find(mine.url, 'mine');
    for (const { url } of others) await expect(find(url, 'mine')).rejects.toThrow();
  });

  it.each(['SIGKILL', 'SIGINT'] as const)('keeps its data and its address over %s and restart', async (signal) => {
    const server = await opened();
    const { url, pid } = server;
    await store(url, 'kept');

    await server.kill(signal);
    await expect(find(url, 'kept')).rejects.toThrow();
    await server.restart();

    expect(server.url).toBe(url);
    expect(server.pid).not.toBe(pid);
    await find(url, 'kept');
  });

  it('keeps its data and its address over a restart in good order', async () => {
    const server = await opened();
    const { url } = server;
    await store(url, 'kept');

    await server.restart();

    expect(server.url).toBe(url);
    await find(url, 'kept');
  });

  it('answers nothing while it is paused, and goes on afterwards', async () => {
    const [server, clock] = await Promise.all([opened(), opened()]);
    await Promise.all([store(server.url, 'it'), store(clock.url, 'it')]);

    await server.pause();
    let answered = false;
    const answer = find(server.url, 'it').then(() => (answered = true));
    for (let question = 0; question < 20; question++) await find(clock.url, 'it');
    expect(answered).toBe(false);

    await server.resume();
    expect(await answer).toBe(true);
  });

  it('can be killed while it is paused', async () => {
    const server = await opened();
    await store(server.url, 'kept');
    await server.pause();

    await server.kill('SIGKILL');
    await server.restart();

    await find(server.url, 'kept');
  });

  it.each(['it runs', 'it is paused', 'it was killed'])(
    'leaves nothing behind when it is stopped while %s',
    async (how) => {
      const server = await opened();
      const port = Number(new URL(server.url).port);
      expect(await isPortFree(port)).toBe(false);
      if (how === 'it is paused') await server.pause();
      if (how === 'it was killed') await server.kill('SIGKILL');

      await server.stop();
      await server.stop();

      expect(isRunning(server.pid)).toBe(false);
      expect(await isPortFree(port)).toBe(true);
      expect(readdirSync(folder)).toEqual([]);
    },
  );
});

describe('A NATS of a suite', () => {
  it('says what is wrong when it does not start, and leaves nothing behind', async () => {
    await expect(startTestNats({ extraConfig: 'no_such_setting: 1' })).rejects.toThrow('no_such_setting');

    expect(readdirSync(folder)).toEqual([]);
  });

  it('takes more of its own configuration', async () => {
    const extraConfig = 'authorization { user: ann, password: secret }';

    const { url } = noted(await startTestNats({ extraConfig, syncAlways: true }));

    expect(await readNatsInfo(url)).toMatchObject({ auth_required: true });
    await createStream(url.replace('//', '//ann:secret@'), 'hers');
  });
});

describe('A PostgreSQL of a suite', () => {
  it('makes databases that know nothing of each other, under any name', async () => {
    const server = noted(await startTestPostgres());

    const one = await server.createDatabase('one');
    const two = await server.createDatabase('t"w/o?');
    await executeSql(one, 'CREATE TABLE only_here ()');

    await executeSql(one, 'SELECT * FROM only_here');
    await expect(executeSql(two, 'SELECT * FROM only_here')).rejects.toThrow('does not exist');
    await expect(server.createDatabase('one')).rejects.toThrow('already exists');
  });
});

describe('A NATS cluster of a suite', () => {
  it('has a leader, outlives the death of one server, and leaves nothing behind', async () => {
    const cluster = noted(await startTestNatsCluster(3));
    const [first, second, third] = cluster.servers.map(({ url }) => url);
    expect(new Set(cluster.urls)).toEqual(new Set([first, second, third]));
    if (first === undefined || second === undefined || third === undefined) throw new TypeError('three were asked for');

    await createStream(first, 'replicated', 3);
    await cluster.servers[0]?.kill('SIGKILL');
    // Two of three still take a message. A new stream proves less: one without replicas may be given to the dead server.
    await eventually(() => ask(second, 'replicated.message'));
    await cluster.servers[0]?.restart();
    await eventually(() => ask(first, 'replicated.message'));
    await eventually(() => findStream(third, 'replicated'));

    await cluster.stop();
    expect(cluster.servers.map(({ pid }) => pid).filter(isRunning)).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
  });
});

function noted<T extends { stop(): Promise<void> }>(server: T): T {
  running.push(server);
  return server;
}

async function createStream(url: string, name: string, replicas = 1): Promise<void> {
  const config = { name, subjects: [`${name}.>`], storage: 'file', retention: 'limits', num_replicas: replicas };
  await ask(url, `$JS.API.STREAM.CREATE.${name}`, JSON.stringify(config));
}

async function findStream(url: string, name: string): Promise<void> {
  await ask(url, `$JS.API.STREAM.INFO.${name}`);
}

async function ask(url: string, subject: string, payload = ''): Promise<void> {
  const answer = JSON.parse(await requestNats(url, subject, payload, 2_000)) as { error?: unknown };
  if (answer.error !== undefined) throw new Error(`${subject}: ${JSON.stringify(answer.error)}`);
}

/** A cluster needs a moment to agree on a new leader. */
async function eventually(claim: () => Promise<void>): Promise<void> {
  const deadline = Date.now() + 30_000;
  for (;;) {
    try {
      return await claim();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
