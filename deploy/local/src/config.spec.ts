import { describe, expect, it } from '@jest/globals';
import { loadConfig } from './config.js';

describe('loadConfig', () => {
  it('needs nothing', () => {
    expect(loadConfig({ PATH: '/bin', NATS_URL: '' })).toMatchObject({
      natsUrl: undefined,
      replicas: 1,
      ports: new Map(),
    });
  });

  it('knows which ports were asked for', () => {
    expect(loadConfig({ PORT: '8080', NATS_PORT: '5000' }).ports).toEqual(
      new Map([
        ['NATS_PORT', 5000],
        ['PORT', 8080],
      ]),
    );
  });

  it('starts a cluster with three replicas, and none beside servers of your own', () => {
    expect(loadConfig({}, true)).toMatchObject({ isCluster: true, replicas: 3 });
    expect(() => loadConfig({ NATS_URL: 'nats://127.0.0.1:4222' }, true)).toThrow(/leave one of them out/);
  });

  it('lists every bad variable at once', () => {
    const env = { NATS_URL: 'http://x', DATABASE_URL: 'x', PORT: '0', NATS_PORT: 'nats', NATS_REPLICAS: '2' };
    for (const name of Object.keys(env)) expect(() => loadConfig(env)).toThrow(new RegExp(`→ at ${name}`));
  });
});
