import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startNats, type NatsOptions, type RunningNats } from './nats-server.js';
import { readNatsInfo, requestNats } from './nats-wire.js';
import { freePort, isPortFree } from './port.js';
import { isRunning, isStopped } from './process-state.js';
import { PortTaken, ServerNotStarted } from './server-errors.js';

describe('startNats', () => {
  let folder: string;
  const running: RunningNats[] = [];
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-nats-spec-'));
  });
  afterEach(async () => void (await Promise.all(running.splice(0).map((nats) => nats.stop()))));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const start = async (options: NatsOptions = {}): Promise<RunningNats> => {
    const nats = await startNats(options);
    running.push(nats);
    return nats;
  };

  it('serves with JetStream, several at once on ports of their own', async () => {
    const [one, two] = await Promise.all([start(), start()]);

    await createStream(one, 'ONLY_HERE');

    expect(one.url).not.toBe(two.url);
    expect(await streamsOf(one)).toEqual(['ONLY_HERE']);
    expect(await streamsOf(two)).toEqual([]);
  });

  it('takes its store along when it is stopped, unless it is to be kept', async () => {
    const throwAway = await start();
    const kept = await start({ storeDir: join(folder, 'kept') });

    await Promise.all([throwAway.stop(), kept.stop()]);

    expect(existsSync(throwAway.storeDir)).toBe(false);
    expect(existsSync(kept.storeDir)).toBe(true);
    expect([throwAway.pid, kept.pid].filter(isRunning)).toEqual([]);
  });

  it.each(['stop', 'kill -9'])('keeps its data over %s', async (end) => {
    const storeDir = join(folder, `over-${end}`);
    const before = await start({ storeDir });
    await createStream(before, 'KEPT');

    if (end === 'stop') await before.stop();
    else before.kill('SIGKILL');
    await before.exited;
    const after = await start({ storeDir, port: before.port });

    expect(after.url).toBe(before.url);
    expect(await streamsOf(after)).toEqual(['KEPT']);
  });

  it('refuses a port that is taken', async () => {
    const { port } = await start();

    const error: unknown = await start({ port }).catch((reason: unknown) => reason);

    expect(error).toBeInstanceOf(PortTaken);
    expect(error).toMatchObject({ code: 'PORT_TAKEN', port });
  });

  it('shows what the server printed when it does not start, and leaves nothing', async () => {
    const port = await freePort();

    const error: unknown = await start({ port, extraConfig: 'no_such_setting: 1' }).catch((reason: unknown) => reason);

    expect(error).toBeInstanceOf(ServerNotStarted);
    expect(error).toMatchObject({ message: expect.stringContaining('unknown field "no_such_setting"') });
    expect(await isPortFree(port)).toBe(true);
  });

  it('says so when the executable is missing', async () => {
    const error: unknown = await start({ binary: '/nowhere/nats-server' }).catch((reason: unknown) => reason);

    expect(error).toBeInstanceOf(ServerNotStarted);
    expect(error).toMatchObject({ message: expect.stringContaining('/nowhere/nats-server') });
  });

  it('writes its log and serves its monitoring pages where asked to', async () => {
    const monitorPort = await freePort();
    const logFile = join(folder, 'nats.log');
    const nats = await start({ monitorPort, logFile, serverName: 'the-name' });

    const page = (await (await fetch(`http://127.0.0.1:${monitorPort}/varz`)).json()) as { server_name: string };
    await nats.stop();

    expect(page.server_name).toBe('the-name');
    expect(readFileSync(logFile, 'utf8')).toContain('Server is ready');
  });

  it('lets in only whom its configuration names', async () => {
    const nats = await start({ extraConfig: 'authorization { user: ann, password: "s3cr3t:@" }' });
    const asAnn = nats.url.replace('//', `//ann:${encodeURIComponent('s3cr3t:@')}@`);

    expect(await readNatsInfo(nats.url)).toMatchObject({ auth_required: true, jetstream: true });
    expect(await requestNats(asAnn, '$JS.API.INFO')).toContain('"memory"');
    await expect(requestNats(nats.url, '$JS.API.INFO')).rejects.toThrow('Authorization Violation');
  });
});

describe('requestNats', () => {
  let nats: RunningNats;
  beforeAll(async () => {
    nats = await startNats();
  });
  afterAll(() => nats.stop());

  it('rejects when nobody answers', async () => {
    await expect(requestNats(nats.url, 'nobody.listens')).rejects.toThrow('nobody answers on nobody.listens');
  });

  it('rejects when the answer does not come in time', async () => {
    process.kill(nats.pid, 'SIGSTOP');
    try {
      while (!isStopped(nats.pid)) await pause(5); // a thread that still runs would answer
      await expect(requestNats(nats.url, '$JS.API.INFO', '', 50)).rejects.toThrow('no answer on $JS.API.INFO');
    } finally {
      process.kill(nats.pid, 'SIGCONT');
    }
  });
});

async function createStream({ url }: RunningNats, name: string): Promise<void> {
  const config = { name, subjects: [`${name}.>`], storage: 'file', retention: 'limits', num_replicas: 1 };
  const answer = await requestNats(url, `$JS.API.STREAM.CREATE.${name}`, JSON.stringify(config));
  expect(JSON.parse(answer)).toMatchObject({ did_create: true });
}

async function streamsOf({ url }: RunningNats): Promise<string[]> {
  const answer = JSON.parse(await requestNats(url, '$JS.API.STREAM.NAMES')) as { streams: string[] | null };
  return answer.streams ?? [];
}
