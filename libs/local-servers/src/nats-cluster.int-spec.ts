import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type NatsCluster, planNatsCluster } from './nats-cluster.js';
import type { RunningNats } from './nats-server.js';
import { requestNats } from './nats-wire.js';

describe('planNatsCluster', () => {
  let folder: string;
  let cluster: NatsCluster;
  let servers: RunningNats[];
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-nats-cluster-spec-'));
    cluster = await planNatsCluster({
      name: 'spec',
      storeDirs: ['one', 'two', 'three'].map((name) => join(folder, name)),
      routesPassword: 'p:w"@',
      extraConfig: 'authorization { user: ann, password: secret }',
    });
    servers = await Promise.all(cluster.members.map((member) => member.start()));
    await cluster.agreed();
    await ask(0, '$JS.API.STREAM.CREATE.S', {
      ...{ name: 'S', subjects: ['s.>'], storage: 'file', retention: 'limits', num_replicas: 3 },
    });
  });
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.stop()));
    rmSync(folder, { recursive: true, force: true });
  });

  const ask = async (at: number, subject: string, body: object = {}) => {
    const url = servers[at]?.url.replace('//', '//ann:secret@') ?? '';
    const answer = JSON.parse(await requestNats(url, subject, JSON.stringify(body), 2_000)) as Record<string, unknown>;
    if (answer['error'] !== undefined) throw new Error(JSON.stringify(answer['error']));
    return answer;
  };

  /** Two of three must first agree that the third is gone. */
  const eventually = async (claim: () => Promise<unknown>) => {
    for (const deadline = Date.now() + 60_000; ;) {
      try {
        return await claim();
      } catch (error) {
        if (Date.now() > deadline) throw error;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  };

  it('takes messages while any one of its servers is stopped, and each goes on where it was', async () => {
    for (const at of [0, 1, 2]) {
      const server = servers[at]!;
      server.kill('SIGSTOP');
      await eventually(() => ask((at + 1) % 3, 's.while-stopped'));
      server.kill('SIGCONT');
      await eventually(() => ask(at, 's.afterwards'));
    }
  });

  it('takes messages while one server is dead, which comes back on its port with its data', async () => {
    for (const at of [0, 1, 2]) {
      const server = servers[at]!;
      const { url } = server;
      server.kill('SIGKILL');
      await server.exited;
      await eventually(() => ask((at + 1) % 3, 's.while-dead'));
      servers[at] = await cluster.members[at]!.start();
      expect(servers[at]?.url).toBe(url);
      await cluster.agreed();
      await eventually(() => ask(at, 's.afterwards'));
    }
    expect(await ask(0, '$JS.API.STREAM.INFO.S')).toMatchObject({ config: { num_replicas: 3 } });
  });
});
