import { describe, expect, it } from '@jest/globals';
import { loadConfig } from './config.js';

const env = {
  NATS_URL: 'nats://run-api:secret@10.0.0.1:4222',
  DATABASE_URL: 'postgresql://millrace_app:secret@10.0.0.1:5432/millrace',
  AUTH_JWT_SECRET: 'a secret of at least 32 characters',
  STREAM_TICKET_SECRET: 'another secret of at least 32 characters',
  AUTH_ISSUER: 'spec',
  AUTH_AUDIENCE: 'millrace',
};

describe('loadConfig', () => {
  it('has a default for all but NATS and who may sign tokens', () => {
    expect(loadConfig(env)).toMatchObject({
      port: 3000,
      tickets: { secret: env.STREAM_TICKET_SECRET, ttlSeconds: 60 },
      auth: { secret: env.AUTH_JWT_SECRET, issuer: 'spec', audience: 'millrace' },
      defaults: { agent: 'echo', appId: 'default', policy: 'default' },
      improver: 'improver',
    });
  });

  it('takes a key set in place of a shared secret, and exactly one of them', () => {
    const { AUTH_JWT_SECRET, ...rest } = env;
    const AUTH_JWKS_URL = 'https://issuer.example/keys';
    expect(loadConfig({ ...rest, AUTH_JWKS_URL }).auth).toMatchObject({ jwksUrl: AUTH_JWKS_URL });
    expect(() => loadConfig(rest)).toThrow(/set either this or AUTH_JWKS_URL/);
    expect(() => loadConfig({ ...rest, AUTH_JWT_SECRET, AUTH_JWKS_URL })).toThrow(/set either this or AUTH_JWKS_URL/);
  });

  it('refuses a secret that can be guessed, and names everything that is missing', () => {
    expect(() => loadConfig({ ...env, AUTH_JWT_SECRET: 'short' })).toThrow(/at least 32 characters/);
    for (const name of ['NATS_URL', 'DATABASE_URL', 'STREAM_TICKET_SECRET', 'AUTH_ISSUER', 'AUTH_AUDIENCE']) {
      expect(() => loadConfig({})).toThrow(new RegExp(`→ at ${name}`));
    }
  });
});

describe('Where streams are', () => {
  it('is where run-api is, unless it is said', () => {
    expect(loadConfig(env).streamUrl).toBeUndefined();
    expect(loadConfig({ ...env, STREAM_URL: 'http://127.0.0.1:3001/' }).streamUrl).toBe('http://127.0.0.1:3001');
    for (const STREAM_URL of ['stream', 'javascript:alert(1)', 'ftp://x']) {
      expect(() => loadConfig({ ...env, STREAM_URL })).toThrow(/where browsers find stream-gateway/);
    }
  });
});

describe('Settings for browsers and limits', () => {
  it('allow nobody by default, and only whole origins', () => {
    expect(loadConfig(env).cors).toEqual([]);
    expect(loadConfig({ ...env, CORS_ORIGINS: 'https://a.example, http://localhost:5173' }).cors).toEqual([
      'https://a.example',
      'http://localhost:5173',
    ]);
    for (const CORS_ORIGINS of ['*', 'https://a.example/', 'https://a.example/app', 'a.example', 'null', 'ftp://a.b']) {
      expect(() => loadConfig({ ...env, CORS_ORIGINS })).toThrow(/must be origins like https/);
    }
  });

  it('believe no proxy by default, and only those that are named by address or range', () => {
    expect(loadConfig(env).trustedProxies).toEqual([]);
    const TRUSTED_PROXIES = '10.0.0.7, 10.1.0.0/16, ::1, fd00::/8';
    expect(loadConfig({ ...env, TRUSTED_PROXIES }).trustedProxies).toEqual([
      '10.0.0.7',
      '10.1.0.0/16',
      '::1',
      'fd00::/8',
    ]);
    for (const wrong of ['true', '1', '*', '10.0.0', '10.0.0.0/33', 'proxy.example']) {
      expect(() => loadConfig({ ...env, TRUSTED_PROXIES: wrong })).toThrow(/must be addresses or ranges/);
    }
  });

  it('are counts of requests a minute', () => {
    expect(loadConfig(env).rateLimits).toEqual({ reads: 12_000, writes: 3_000, unknown: 300 });
    for (const RATE_LIMIT_READS_PER_MINUTE of ['0', '-1', 'many', '1.5']) {
      expect(() => loadConfig({ ...env, RATE_LIMIT_READS_PER_MINUTE })).toThrow(/RATE_LIMIT_READS_PER_MINUTE/);
    }
  });
});
