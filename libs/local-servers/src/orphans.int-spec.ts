import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { isRunning } from './process-state.js';

const SCRIPT = join(import.meta.dirname, '..', 'test', 'hold-servers.mjs');
const FROM_SOURCE = ['--conditions=@millrace/source', '--experimental-transform-types'];

describe('A process that is killed with -9', () => {
  let holder: ChildProcess | undefined;
  let pids: number[] = [];
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-orphans-'));
    chmodSync(folder, 0o711); // as root PostgreSQL runs as somebody else, who must be able to pass
  });
  afterEach(() => {
    holder?.kill('SIGKILL');
    for (const pid of pids.splice(0).filter(isRunning)) process.kill(pid, 'SIGKILL'); // when the test failed
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(['servers', 'kernel', 'pipe'])('leaves no child behind (%s)', async (what) => {
    const env = { ...process.env, TMPDIR: folder };
    holder = spawn('node', [...FROM_SOURCE, SCRIPT, what], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    pids = await firstLineOf(holder);
    expect(pids.length).toBeGreaterThan(what === 'servers' ? 2 : 0);
    expect(pids.filter(isRunning)).toEqual(pids);

    holder.kill('SIGKILL');
    await once(holder, 'exit');

    await untilNoneRuns(pids);
  });
});

async function firstLineOf(child: ChildProcess): Promise<number[]> {
  if (child.stdout === null) throw new TypeError('the holder prints to a pipe');
  for await (const line of createInterface(child.stdout)) return JSON.parse(line) as number[];
  throw new Error('the holder ended before it had started anything');
}

async function untilNoneRuns(pids: readonly number[]): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (pids.some(isRunning) && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20));
  expect(pids.filter(isRunning)).toEqual([]);
}
