import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  connectNats,
  JetStreamBlobStore,
  JetStreamRunLog,
  type NatsConnection,
  UlidEventIds,
} from '@millrace/adapter-jetstream';
import { openDatabase, ProjectionStore } from '@millrace/adapter-postgres';
import { aRunId, aTenantId, FACT_FIXTURES, TenantId } from '@millrace/contracts';
import { isRunning } from '@millrace/local-servers';
import { EMPTY_TAIL } from '@millrace/ports';
import { startTestNats, startTestPostgres } from '@millrace/testing/servers';
import { decodeJwt } from 'jose';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WORKSPACE } from './home.js';
import type { Stack } from './stack-file.js';

let home: string;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'millrace-e2e-'));
  chmodSync(home, 0o755); // as root, PostgreSQL runs as another account and has to get in
});
afterAll(async () => {
  await millrace('stop');
  rmSync(home, { recursive: true, force: true });
});

const MAIN = join(WORKSPACE, 'deploy', 'local', 'dist', 'main.js');

function begin(args: string[], env: NodeJS.ProcessEnv): ChildProcess {
  const { NODE_OPTIONS: _ours, ...inherited } = process.env;
  return spawn(process.execPath, [MAIN, ...args], { env: { ...inherited, MILLRACE_HOME: home, ...env } });
}

async function ended(child: ChildProcess): Promise<{ code: number | null; printed: string }> {
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text) => (printed += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, printed };
}

const millrace = (command: string, args: string[] = [], env: NodeJS.ProcessEnv = {}) =>
  ended(begin([command, ...args], env));

const stackFile = () => join(home, 'stack.json');
const stack = () => JSON.parse(readFileSync(stackFile(), 'utf8')) as Stack;

/** Of the projector, wherever it listens: its log says so. */
const projectorUrl = (): string => {
  const log = readFileSync(join(home, 'logs', 'projector.log'), 'utf8');
  return /Listening on (http:[^"]+)/.exec(log)?.[1] ?? 'not listening';
};

const isReady = async (): Promise<void> => expect((await fetch(`${projectorUrl()}/health/ready`)).status).toBe(200);

async function eventually(claim: () => Promise<void> | void): Promise<void> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    try {
      return await claim();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

const pidOf = (name: string): number => stack().pids[name] ?? Number.NaN;

const allGone = (pids: Stack['pids']) => () =>
  expect(Object.entries(pids).filter(([, pid]) => isRunning(pid))).toEqual([]);

describe('npm start -- --detach', () => {
  it('comes back when everything is ready, and says where it is without its passwords', async () => {
    const { code, printed } = await millrace('start', ['--detach']);
    expect({ code, printed }).toMatchObject({ code: 0, printed: expect.stringMatching(/^Millrace is running\./) });
    expect(printed).not.toContain(new URL(stack().natsUrl).password);
    await isReady();
  });

  it('leaves a stack.json for nobody else, with addresses, a token and the pids of what runs', () => {
    const { tenantId, token, pids, natsUrl, databaseUrl, ...urls } = stack();
    expect(statSync(stackFile()).mode & 0o777).toBe(0o600);
    expect(TenantId.safeParse(tenantId).success).toBe(true);
    expect(decodeJwt(token)).toMatchObject({
      tenant_id: tenantId,
      sub: 'developer',
      iss: 'millrace-local',
      aud: 'millrace',
    });
    expect([natsUrl, databaseUrl]).toEqual([
      expect.stringMatching(/^nats:\/\/admin:.+@127\.0\.0\.1:\d+$/),
      expect.stringMatching(/^postgresql:\/\/postgres@127\.0\.0\.1:\d+\/millrace$/),
    ]);
    expect(Object.keys(pids)).toEqual(
      expect.arrayContaining(['launcher', 'nats-server', 'postgres', 'projector', 'orchestrator', 'node-workers']),
    );
    expect('apiUrl' in urls).toBe(existsSync(join(WORKSPACE, 'services', 'run-api', 'dist', 'main.js')));
  });

  it('lets people try streams from /docs, which another process answers', async () => {
    const { apiUrl = '', streamUrl = '' } = stack();
    const document = (await (await fetch(`${apiUrl}/openapi.json`)).json()) as { paths: Record<string, object> };
    expect(document.paths['/agents/runs/{id}/stream']).toMatchObject({ servers: [{ url: streamUrl }] });
    const page = await fetch(`${apiUrl}/docs`);
    expect(page.headers.get('content-security-policy')).toContain(`connect-src 'self' ${streamUrl};`);
    const preflight = await fetch(`${streamUrl}/agents/runs/${aRunId}/stream`, {
      method: 'OPTIONS',
      headers: {
        origin: apiUrl,
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'authorization',
      },
    });
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, apiUrl]);
  });

  it.each([[[]], [['--detach']]])('is refused a second time in the same folder %j', async (args) => {
    const running = stack();
    const { code, printed } = await millrace('start', args);
    expect(code).toBe(1);
    expect(printed).toMatch(/^Millrace runs already \(pid \d+\): use it as .*stack\.json says, or npm stop first\n$/);
    expect(stack()).toEqual(running);
    await isReady();
  });

  it.each(['projector', 'nats-server', 'postgres'])(
    'starts %s again when it is killed, and all is ready again',
    async (name) => {
      const killed = pidOf(name);
      process.kill(killed, 'SIGKILL');
      await eventually(() => expect(pidOf(name)).not.toBe(killed));
      await eventually(isReady);
      const log = readFileSync(join(home, 'logs', 'launcher.log'), 'utf8');
      expect(log).toContain(`${name} was ended by SIGKILL; started again (pid ${pidOf(name)})\n`);
    },
  );
});

describe('npm stop', () => {
  it('ends every process and takes stack.json away; the next start has the data', async () => {
    const streamSequence = await appendAnEvent();
    const { pids, token: _, ...before } = stack();
    await eventually(async () => expect(await projectedTo()).toBeGreaterThanOrEqual(streamSequence));

    expect(await millrace('stop')).toEqual({ code: 0, printed: 'Millrace has stopped; its data is kept.\n' });
    allGone(pids)();
    expect(existsSync(stackFile())).toBe(false);

    expect(await millrace('start', ['--detach'])).toMatchObject({ code: 0 });
    expect(stack().tenantId).toBe(before.tenantId);
    expect(await projectedTo()).toBeGreaterThanOrEqual(streamSequence);
    const log = await openLog();
    const { events } = await log.read({ tenantId: aTenantId, runId: aRunId });
    expect(events[0]).toMatchObject({ kind: 'RunRequested', position: 0 });
  });

  it('is not needed after kill -9: nothing outlives the launcher, and the next start cleans up', async () => {
    const { pids } = stack();
    process.kill(pidOf('launcher'), 'SIGKILL');
    await eventually(allGone(pids));
    expect(existsSync(stackFile())).toBe(true);

    const foreground = begin(['start'], {});
    let printed = '';
    foreground.stdout?.setEncoding('utf8').on('data', (text) => (printed += text));
    const end = once(foreground, 'exit');
    await eventually(() => expect(printed).toMatch(/Stop: Ctrl-C/));
    expect(printed).toMatch(/^The last run ended without cleaning up; its data is kept\.\nMillrace is running\./);
    foreground.kill('SIGINT');
    foreground.kill('SIGINT'); // npm passes on what the terminal has sent already
    expect(await end).toEqual([0, null]);
    expect(existsSync(stackFile())).toBe(false);
  });

  it('says so when nothing is running', async () => {
    expect(await millrace('stop')).toEqual({ code: 0, printed: `Nothing is running in ${home}.\n` });
  });
});

describe('a start that cannot work', () => {
  it('names the port that is taken', async () => {
    const squatter = createServer().listen(0, '127.0.0.1');
    await once(squatter, 'listening');
    const { port } = squatter.address() as { port: number };
    const { code, printed } = await millrace('start', [], { PROJECTOR_PORT: String(port) });
    squatter.close();
    expect([code, printed]).toEqual([1, `Port ${port} is taken: stop what listens there or choose another port\n`]);
  });

  it('names the binary that is missing', async () => {
    const { code, printed } = await millrace('start', ['--detach'], { NATS_SERVER_BIN: '/nowhere/nats-server' });
    expect([code, printed]).toEqual([
      1,
      expect.stringMatching(/^NATS_SERVER_BIN=\/nowhere\/nats-server is no executable: .*\n$/),
    ]);
  });

  it('names the server that does not answer', async () => {
    const { code, printed } = await millrace('start', [], { NATS_URL: 'nats://127.0.0.1:1' });
    expect([code, printed]).toEqual([1, expect.stringMatching(/^No NATS server at 127\.0\.0\.1:1 .*NATS_URL.*\n$/)]);
  });

  it('lists every variable that is wrong', async () => {
    const { code, printed } = await millrace('start', [], { PORT: 'http', DATABASE_URL: 'db' });
    expect([code, printed]).toEqual([1, expect.stringMatching(/→ at DATABASE_URL[^]*→ at PORT\n$/)]);
  });
});

describe('servers of your own', () => {
  it('are used instead of starting some', async () => {
    const [nats, postgres] = await Promise.all([startTestNats(), startTestPostgres()]);
    const databaseUrl = await postgres.createDatabase('own');
    const env = { NATS_URL: nats.url, DATABASE_URL: databaseUrl };
    expect(await millrace('start', ['--detach'], env)).toMatchObject({ code: 0 });
    expect(stack()).toMatchObject({ natsUrl: nats.url, databaseUrl });
    expect(Object.keys(stack().pids)).not.toContain('nats-server');
    expect(Object.keys(stack().pids)).not.toContain('postgres');
    await isReady();
    await millrace('stop');
    await Promise.all([nats.stop(), postgres.stop()]);
  });
});

describe('npm run token', () => {
  it('prints a token for another tenant and person', async () => {
    const { code, printed } = await millrace('token', ['--tenant', aTenantId, '--sub', 'ada']);
    expect([code, decodeJwt(printed)]).toEqual([0, expect.objectContaining({ tenant_id: aTenantId, sub: 'ada' })]);
  });

  it('refuses what is no tenant', async () => {
    const { code, printed } = await millrace('token', ['--tenant', 'acme']);
    expect([code, printed]).toEqual([1, expect.stringMatching(/^--tenant acme: must be a ULID/)]);
  });
});

const connections: NatsConnection[] = [];
afterAll(async () => void (await Promise.all(connections.map((nats) => nats.close()))));

async function openLog(): Promise<JetStreamRunLog> {
  const nats = await connectNats({ url: stack().natsUrl, name: 'spec' });
  connections.push(nats);
  return new JetStreamRunLog(nats, new JetStreamBlobStore(nats));
}

async function appendAnEvent(): Promise<number> {
  const draft = { ...FACT_FIXTURES.RunRequested, eventId: new UlidEventIds().next(), ts: '2026-01-12T10:00:00.000Z' };
  const { tail } = await (await openLog()).append({ tenantId: aTenantId, runId: aRunId }, draft, EMPTY_TAIL);
  return tail.streamSequence;
}

async function projectedTo(): Promise<number> {
  const database = await openDatabase({ url: stack().databaseUrl, applicationName: 'spec' });
  try {
    return await new ProjectionStore(database).load('read-models');
  } finally {
    await database.close();
  }
}
