import { describe, expect, it } from '@jest/globals';
import { loadConfig } from './config.js';

const NATS_URL = 'nats://projector:secret@10.0.0.1:4222';
const DATABASE_URL = 'postgresql://millrace_app:secret@10.0.0.2/millrace';

describe('loadConfig', () => {
  it('needs the two servers and has a default for everything else', () => {
    expect(loadConfig({ NATS_URL, DATABASE_URL })).toEqual({
      natsUrl: NATS_URL,
      databaseUrl: DATABASE_URL,
      host: '127.0.0.1',
      port: 3010,
      logLevel: 'info',
      otlpEndpoint: undefined,
    });
  });

  it('takes the servers of a cluster', () => {
    const several = 'nats://a:4222, tls://b:4222';
    expect(loadConfig({ NATS_URL: several, DATABASE_URL }).natsUrl).toBe(several);
  });

  it('lists every bad variable at once, each with what it should be', () => {
    const env = { NATS_URL: 'localhost', DATABASE_URL: 'mysql://db/x', PORT: 'http', LOG_LEVEL: 'loud' };
    const load = () => loadConfig(env);
    expect(load).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
    for (const name of Object.keys(env)) expect(load).toThrow(new RegExp(`→ at ${name}`));
    expect(load).toThrow(/must be the address of a NATS server, like nats:/);
  });

  it('takes a variable that is set to nothing for one that is not set', () => {
    expect(() => loadConfig({ NATS_URL: '', DATABASE_URL })).toThrow(/is missing; for example nats:/);
    expect(loadConfig({ NATS_URL, DATABASE_URL, PORT: '' }).port).toBe(3010);
  });
});
