import { describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SCRIPT = join(import.meta.dirname, '..', '..', 'get-chromium.sh');

/** A folder with nothing but what the script is made of, and the browsers a spec puts there. */
const aPath = (...browsers: string[]): string => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-path-'));
  symlinkSync('/bin/sh', join(folder, 'sh'));
  for (const name of browsers) {
    const file = join(folder, name);
    writeFileSync(file, '#!/bin/sh\necho Chromium 150.0\n');
    chmodSync(file, 0o755);
  }
  return folder;
};
const run = (env: Record<string, string>) => spawnSync(SCRIPT, { env, encoding: 'utf8' });

describe('get-chromium.sh', () => {
  it('takes the one it is told to', () => {
    const folder = aPath('mine');
    const { status, stdout } = run({ PATH: aPath('chromium'), CHROMIUM_BIN: join(folder, 'mine') });
    expect([status, stdout]).toEqual([0, `${join(folder, 'mine')}\n`]);
  });

  it('takes no other than the one it is told to, and says what to do', () => {
    const { status, stdout, stderr } = run({ PATH: aPath('chromium'), CHROMIUM_BIN: '/no/such/browser' });
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toContain('CHROMIUM_BIN=/no/such/browser is no browser that starts: correct it, or unset it');
  });

  it.each(['chromium', 'chromium-browser', 'google-chrome'])('finds %s where programs are', (name) => {
    const folder = aPath(name);
    expect(run({ PATH: folder }).stdout).toBe(`${join(folder, name)}\n`);
  });

  it('says what to do where there is neither a browser nor a way to install one', () => {
    const { status, stderr } = run({ PATH: aPath() });
    expect(status).toBe(1);
    expect(stderr).toContain('install chromium (on Debian: apt-get install chromium) or set CHROMIUM_BIN');
  });
});
