import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type ChildProcess, spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres, type PostgresOptions, type RunningPostgres } from './postgres-server.js';
import { executeSql } from './postgres-wire.js';
import { childrenOf, isRunning } from './process-state.js';
import { PortTaken } from './server-errors.js';

describe('startPostgres', () => {
  let folder: string;
  const running: RunningPostgres[] = [];
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-postgres-spec-'));
    chmodSync(folder, 0o711); // as root the server runs as somebody else, who must be able to pass
  });
  afterEach(async () => void (await Promise.all(running.splice(0).map((postgres) => postgres.stop()))));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const start = async (options: PostgresOptions = {}): Promise<RunningPostgres> => {
    const postgres = await startPostgres({ durable: false, ...options });
    running.push(postgres);
    return postgres;
  };

  it('serves, several at once on ports of their own', async () => {
    const [one, two] = await Promise.all([start(), start()]);

    await executeSql(one.url, 'CREATE TABLE only_here ()');

    expect(one.url).not.toBe(two.url);
    await executeSql(one.url, 'SELECT * FROM only_here');
    await expect(executeSql(two.url, 'SELECT * FROM only_here')).rejects.toThrow('does not exist');
  });

  it('takes its data along when it is stopped, unless it is to be kept', async () => {
    const throwAway = await start();
    const kept = await start({ dataDir: join(folder, 'kept') });
    const processes = [throwAway, kept].flatMap(({ pid }) => [pid, ...childrenOf(pid)]);

    await Promise.all([throwAway.stop(), kept.stop()]);

    expect(existsSync(throwAway.dataDir)).toBe(false);
    expect(existsSync(kept.dataDir)).toBe(true);
    expect(processes.length).toBeGreaterThan(2);
    expect(processes.filter(isRunning)).toEqual([]);
  });

  it.each(['stop', 'kill -9'])('keeps its data over %s', async (end) => {
    const dataDir = join(folder, `over-${end}`);
    const before = await start({ dataDir });
    await executeSql(before.url, 'CREATE TABLE kept ()');

    if (end === 'stop') await before.stop();
    else before.kill('SIGKILL');
    await before.exited;
    const after = await start({ dataDir, port: before.port });

    expect(after.url).toBe(before.url);
    await executeSql(after.url, 'SELECT * FROM kept');
  });

  it('refuses a port that is taken', async () => {
    const { port } = await start();

    const error: unknown = await start({ port }).catch((reason: unknown) => reason);

    expect(error).toBeInstanceOf(PortTaken);
    expect(error).toMatchObject({ code: 'PORT_TAKEN', port });
  });

  describe('finds a lock file of a server that is gone', () => {
    let dataDir: string;
    let other: ChildProcess | undefined;
    beforeAll(async () => {
      dataDir = join(folder, 'locked');
      await (await start({ dataDir })).stop();
    });
    afterEach(() => void other?.kill('SIGKILL'));

    it('whose pid is free', async () => {
      await startsInSpiteOf(2 ** 22 + 1); // above the highest Linux gives
    });

    it('whose pid belongs to another program by now', async () => {
      other = spawn('sleep', ['600']);
      await startsInSpiteOf(other.pid);
    });

    it('whose pid belongs to a PostgreSQL with other data by now', async () => {
      await startsInSpiteOf((await start()).pid);
    });

    it('with nothing in it', async () => {
      await startsInSpiteOf(undefined);
    });

    async function startsInSpiteOf(pid: number | undefined): Promise<void> {
      writeFileSync(join(dataDir, 'postmaster.pid'), pid === undefined ? '' : `${pid}\n${dataDir}\n`);
      const postgres = await start({ dataDir });
      await executeSql(postgres.url, 'SELECT 1');
      expect(readFileSync(join(dataDir, 'postmaster.pid'), 'utf8')).toMatch(new RegExp(`^${postgres.pid}\n`));
    }
  });

  it('begins anew where it was killed while it made its first data', async () => {
    const dataDir = join(folder, 'half-made');
    mkdirSync(`${dataDir}.half`, { recursive: true });
    writeFileSync(join(`${dataDir}.half`, 'PG_VERSION'), '18\n');

    const postgres = await start({ dataDir });

    await executeSql(postgres.url, 'SELECT 1');
    expect(readdirSync(folder)).not.toContain('half-made.half');
  });

  it('writes its log where asked to', async () => {
    const logFile = join(folder, 'postgres.log');

    await (await start({ logFile })).stop();

    expect(readFileSync(logFile, 'utf8')).toContain('ready to accept connections');
  });
});

describe('executeSql', () => {
  let postgres: RunningPostgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.stop());

  it('rejects with what the server says, and the statement', async () => {
    await expect(executeSql(postgres.url, 'SELEC 1')).rejects.toThrow('syntax error at or near "SELEC": SELEC 1');
  });

  it('rejects when there is no such database', async () => {
    const url = postgres.url.replace(/postgres$/, 'nowhere');

    await expect(executeSql(url, 'SELECT 1')).rejects.toThrow('database "nowhere" does not exist');
  });

  it('takes a statement and an answer of any size', async () => {
    await executeSql(postgres.url, `SELECT '${'é'.repeat(200_000)}' FROM generate_series(1, 20)`);
  });
});
