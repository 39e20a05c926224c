import { describe, expect, it } from '@jest/globals';
import { loadConfig } from './config.js';

const NATS_URL = 'nats://node-workers:secret@10.0.0.1:4222';

describe('loadConfig', () => {
  it('needs the log and has a default for everything else', () => {
    expect(loadConfig({ NATS_URL })).toMatchObject({ port: 3012, agentModules: [], concurrency: 20, graceMs: 20_000 });
  });

  it('lists every bad variable at once', () => {
    const env = { NATS_URL: 'localhost', CONCURRENCY: 'many', SHUTDOWN_GRACE_MS: '-1' };
    for (const name of Object.keys(env)) expect(() => loadConfig(env)).toThrow(new RegExp(`→ at ${name}`));
  });
});
