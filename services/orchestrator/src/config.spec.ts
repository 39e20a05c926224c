import { describe, expect, it } from '@jest/globals';
import { loadConfig } from './config.js';

const NATS_URL = 'nats://orchestrator:secret@10.0.0.1:4222';

describe('loadConfig', () => {
  it('needs the log and has a default for everything else', () => {
    expect(loadConfig({ NATS_URL })).toMatchObject({
      natsUrl: NATS_URL,
      port: 3011,
      limits: { maxActive: 200, maxActivePerTenant: 50, startsPerSecondPerTenant: undefined },
    });
  });

  it('takes caps and a start rate', () => {
    const env = { MAX_ACTIVE_RUNS: '5', STARTS_PER_SECOND_PER_TENANT: '2' };
    expect(loadConfig({ NATS_URL, ...env })).toMatchObject({
      limits: { maxActive: 5, startsPerSecondPerTenant: 2 },
    });
  });

  it('lists every bad variable at once', () => {
    const env = {
      NATS_URL: 'localhost',
      MAX_ACTIVE_RUNS: '0',
      STARTS_PER_SECOND_PER_TENANT: 'fast',
      CONCURRENCY: '1.5',
    };
    for (const name of Object.keys(env)) expect(() => loadConfig(env)).toThrow(new RegExp(`→ at ${name}`));
  });
});
