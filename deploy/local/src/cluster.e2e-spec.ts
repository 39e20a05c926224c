import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  connectNats,
  JetStreamBlobStore,
  JetStreamRunLog,
  type NatsConnection,
  SystemClock,
  UlidEventIds,
} from '@millrace/adapter-jetstream';
import { RunCommandHandler } from '@millrace/application';
import { isTerminal, RunId, TenantId } from '@millrace/contracts';
import { isRunning } from '@millrace/local-servers';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WORKSPACE } from './home.js';
import type { Stack } from './stack-file.js';

let home: string;
let nats: NatsConnection | undefined;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'millrace-e2e-'));
  chmodSync(home, 0o755); // as root, PostgreSQL runs as another account and has to get in
});
afterAll(async () => {
  await nats?.close();
  await millrace('stop');
  rmSync(home, { recursive: true, force: true });
});

const MAIN = join(WORKSPACE, 'deploy', 'local', 'dist', 'main.js');

async function millrace(...args: string[]): Promise<{ code: number | null; printed: string }> {
  const { NODE_OPTIONS: _ours, ...env } = process.env;
  const child = spawn(process.execPath, [MAIN, ...args], { env: { ...env, MILLRACE_HOME: home } });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (printed += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, printed };
}

const stack = () => JSON.parse(readFileSync(join(home, 'stack.json'), 'utf8')) as Stack;
const SERVERS = ['nats-server-n1', 'nats-server-n2', 'nats-server-n3'];

describe('npm start -- --cluster --detach', () => {
  it('brings up three nats-servers and names all of them', async () => {
    expect(await millrace('start', '--cluster', '--detach')).toMatchObject({
      code: 0,
      printed: expect.stringMatching(/^Millrace is running\./),
    });
    const { natsUrl, pids } = stack();
    expect(natsUrl.split(',')).toEqual(
      SERVERS.map(() => expect.stringMatching(/^nats:\/\/admin:.+@127\.0\.0\.1:\d+$/)),
    );
    expect(Object.keys(pids)).toEqual(expect.arrayContaining(SERVERS));
    nats = await connectNats({ url: natsUrl, name: 'spec' });
    const info = await nats.request('$JS.API.STREAM.INFO.RUNS');
    expect(info.json()).toMatchObject({ config: { num_replicas: 3 } });
  });

  it.each(SERVERS)('runs an agent while %s is killed, which is started again', async (name) => {
    const pid = stack().pids[name]!;
    process.kill(pid, 'SIGKILL');
    const log = new JetStreamRunLog(nats!, new JetStreamBlobStore(nats!));
    const ids = new UlidEventIds();
    const handler = new RunCommandHandler({ log, ids, clock: new SystemClock() });
    const run = { tenantId: TenantId.parse(stack().tenantId), runId: RunId.parse(ids.next()) };
    const order = { agent: 'echo', appId: 'spec', policy: 'default', input: { text: 'on we go' }, userId: 'ada' };
    await surely(() => handler.handle({ kind: 'RequestRun', ...run, ...order }));
    for await (const event of log.follow(run)) {
      if (!isTerminal(event)) continue;
      expect(event).toMatchObject({ kind: 'RunFinished', output: { text: 'on we go' } });
      break;
    }
    await surely(() => expect(stack().pids[name]).not.toBe(pid));
  });

  it('does not start as one server on the data of three, and says why', async () => {
    const { pids } = stack();
    expect(await millrace('stop')).toEqual({ code: 0, printed: 'Millrace has stopped; its data is kept.\n' });
    expect(Object.entries(pids).filter(([, pid]) => isRunning(pid))).toEqual([]);

    const { code, printed } = await millrace('start', '--detach');

    expect(code).toBe(1);
    expect(printed).toContain(`${home} holds the data of a cluster of three: one log is not moved into the other`);
    expect(printed).toContain('Take another folder (--home <folder>), or start with --cluster');
  });

  it('does not start as three servers on the data of one', async () => {
    rmSync(join(home, 'nats-cluster'), { recursive: true });
    mkdirSync(join(home, 'nats'));

    const { code, printed } = await millrace('start', '--cluster');

    expect([code, printed]).toEqual([1, expect.stringContaining('holds the data of one nats-server')]);
  });
});

/** Until the servers have agreed on a leader, and the launcher has written its file. */
async function surely(work: () => unknown): Promise<void> {
  for (const deadline = Date.now() + 60_000; ;) {
    try {
      await work();
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
