import { describe, expect, it } from '@jest/globals';
import { loadConfig } from './config.js';

const env = {
  NATS_URL: 'nats://stream-gateway:secret@10.0.0.1:4222',
  AUTH_JWT_SECRET: 'a secret of at least 32 characters',
  AUTH_ISSUER: 'spec',
  AUTH_AUDIENCE: 'millrace',
  STREAM_TICKET_SECRET: 'another secret of 32 characters or more',
};

describe('loadConfig', () => {
  it('has a default for all but NATS, who may sign tokens, and the secret of tickets', () => {
    expect(loadConfig(env)).toMatchObject({
      port: 3001,
      connections: { max: 10_000, maxPerTenant: 2_000, heartbeatMs: 15_000, stallMs: 30_000 },
      retryMs: 2_000,
      pages: { maxBytes: 64 * 1024 ** 2, maxReads: 16 },
      sessions: { secret: env.STREAM_TICKET_SECRET, secure: true },
    });
    for (const name of ['NATS_URL', 'AUTH_ISSUER', 'AUTH_AUDIENCE', 'STREAM_TICKET_SECRET']) {
      expect(() => loadConfig({})).toThrow(new RegExp(`→ at ${name}`));
    }
  });

  it('sends cookies over plain HTTP only when it is told to', () => {
    expect(loadConfig({ ...env, STREAM_COOKIE_SECURE: 'false' }).sessions.secure).toBe(false);
    expect(() => loadConfig({ ...env, STREAM_COOKIE_SECURE: 'perhaps' })).toThrow(/must be true or false/);
  });

  it('refuses limits that are none', () => {
    for (const name of ['MAX_STREAMS', 'MAX_STREAMS_PER_TENANT', 'HEARTBEAT_SECONDS', 'RETRY_MS', 'CACHE_MIB']) {
      expect(() => loadConfig({ ...env, [name]: '0' })).toThrow(new RegExp(`at least 1\n  → at ${name}`));
    }
  });
});
