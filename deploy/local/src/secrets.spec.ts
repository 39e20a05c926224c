import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { NATS_USERS } from '@millrace/adapter-jetstream';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Home, openHome } from './home.js';
import { loadSecrets } from './secrets.js';

let home: Home;
beforeEach(() => {
  home = openHome(mkdtempSync(join(tmpdir(), 'millrace-secrets-')));
});
afterEach(() => rmSync(home.dir, { recursive: true, force: true }));

describe('loadSecrets', () => {
  it('makes them once and keeps them, for nobody else to read', () => {
    const made = loadSecrets(home);
    expect(loadSecrets(home)).toEqual(made);
    expect(Object.keys(made.nats)).toEqual([...NATS_USERS]);
    const { jwtSecret, streamTicketSecret, databasePassword, databaseReaderPassword } = made;
    const passwords = [jwtSecret, streamTicketSecret, databasePassword, databaseReaderPassword];
    expect(new Set([...Object.values(made.nats), ...passwords]).size).toBe(NATS_USERS.length + 4);
    expect(statSync(home.secretsFile).mode & 0o777).toBe(0o600);
  });

  it('closes a file that somebody opened to others', () => {
    loadSecrets(home);
    chmodSync(home.secretsFile, 0o644);
    loadSecrets(home);
    expect(statSync(home.secretsFile).mode & 0o777).toBe(0o600);
  });

  it('adds what an older version did not know, and leaves the rest', () => {
    const { nats: _, streamTicketSecret, ...older } = loadSecrets(home);
    writeFileSync(home.secretsFile, JSON.stringify({ ...older, nats: { admin: 'kept' } }));
    const { nats, ...rest } = loadSecrets(home);
    expect(rest).toEqual({ ...older, streamTicketSecret: expect.any(String) });
    expect(rest.streamTicketSecret).not.toBe(streamTicketSecret);
    expect([nats.admin, nats.projector === '']).toEqual(['kept', false]);
    expect(JSON.parse(readFileSync(home.secretsFile, 'utf8'))).toEqual({ nats, ...rest });
  });

  it.each([
    ['is cut short', '{"nats":'],
    ['holds nonsense', '{"jwtSecret":7,"tenantId":"me"}'],
  ])('says what to do about a file that %s, and leaves it alone', (_what, text) => {
    writeFileSync(home.secretsFile, text);
    expect(() => loadSecrets(home)).toThrow(/secrets\.json cannot be used: .*Remove it, and new passwords are made$/s);
    expect(readFileSync(home.secretsFile, 'utf8')).toBe(text);
  });
});
