import { describe, expect, it } from '@jest/globals';
import { natsConfig, type NatsSettings } from './nats-config.js';

const settings: NatsSettings = {
  host: '127.0.0.1',
  port: 4222,
  storeDir: '/data/nats',
  maxStoreBytes: 1_000_000n,
  syncAlways: true,
};

describe('natsConfig', () => {
  it('keeps JetStream in its folder and on the disk', () => {
    expect(natsConfig(settings)).toBe(
      [
        'listen: "127.0.0.1:4222"',
        'jetstream {',
        '  store_dir: "/data/nats"',
        '  max_file_store: 1000000',
        '  sync_interval: always',
        '}',
        '',
      ].join('\n'),
    );
  });

  it('waits for the disk only where asked to', () => {
    expect(natsConfig({ ...settings, syncAlways: false })).not.toContain('sync_interval');
  });

  it('names the other servers of a cluster', () => {
    const cluster = { name: 'c', port: 6222, routes: ['a:6222', 'b:6222'], clientAdvertise: 'outside:4222' };

    const config = natsConfig({ ...settings, serverName: 'n1', monitorPort: 8222, cluster });

    expect(config).toContain('server_name: "n1"');
    expect(config).toContain('http: "127.0.0.1:8222"');
    expect(config).toContain('client_advertise: "outside:4222"');
    expect(config).toContain('routes: ["nats://a:6222", "nats://b:6222"]');
  });

  it('lets only servers join a cluster that know its password', () => {
    const cluster = { name: 'c', port: 6222, routes: ['a:6222'], password: 'p:w', advertise: 'd:6222' };

    const config = natsConfig({ ...settings, cluster });

    expect(config).toContain('authorization { user: routes, password: "p:w" }');
    expect(config).toContain('routes: ["nats://routes:p%3Aw@a:6222"]');
    expect(config).toContain('advertise: "d:6222"');
  });

  it('quotes what would end a string', () => {
    expect(natsConfig({ ...settings, storeDir: '/a "b"\\c' })).toContain('store_dir: "/a \\"b\\"\\\\c"');
  });

  it('ends with what the caller adds', () => {
    expect(natsConfig({ ...settings, extraConfig: 'max_payload: 2MB' })).toMatch(/\nmax_payload: 2MB\n$/);
  });
});
