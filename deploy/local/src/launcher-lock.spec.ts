import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Home, openHome } from './home.js';
import { releaseLock, runningLauncher, takeLock } from './launcher-lock.js';

let home: Home;
beforeEach(() => {
  home = openHome(mkdtempSync(join(tmpdir(), 'millrace-lock-')));
});
afterEach(() => rmSync(home.dir, { recursive: true, force: true }));

describe('takeLock', () => {
  it('gives the home to one at a time', () => {
    expect(takeLock(home)).toEqual({ wasStale: false });
    expect(runningLauncher(home)).toBe(process.pid);
    expect(() => takeLock(home)).toThrow(`Millrace runs already (pid ${process.pid}): use it as`);
    releaseLock(home);
    expect(runningLauncher(home)).toBeUndefined();
    expect(takeLock(home)).toEqual({ wasStale: false });
  });

  it.each([
    ['has ended', { pid: 2 ** 22 + 1, startedAt: '1' }],
    ['has ended, and whose pid belongs to another process now', { pid: process.pid, startedAt: 'long ago' }],
  ])('takes it from a launcher that %s, and clears what that one left', (_what, holder) => {
    writeFileSync(home.lockFile, JSON.stringify(holder));
    writeFileSync(home.stackFile, '{}');
    expect(takeLock(home)).toEqual({ wasStale: true });
    expect(existsSync(home.stackFile)).toBe(false);
  });

  it('takes it when the file was cut short', () => {
    writeFileSync(home.lockFile, '{"pi');
    expect(takeLock(home)).toEqual({ wasStale: true });
  });
});
