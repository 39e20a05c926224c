import { describe, expect, it } from '@jest/globals';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { childrenOf, isRunning, isStopped, processFolder, processName, processStartedAt } from './process-state.js';

describe('The state of a process', () => {
  it('is known of this one', () => {
    expect(isRunning(process.pid)).toBe(true);
    expect(processFolder(process.pid)).toBe(process.cwd());
    expect(processStartedAt(process.pid)).toMatch(/^\d+$/);
  });

  it('names its executable and its children', async () => {
    const child = spawn('sleep', ['600']);
    try {
      const pid = await pidOf(child);
      expect(processName(pid)).toBe('sleep');
      expect(childrenOf(process.pid)).toContain(pid);
    } finally {
      await end(child);
    }
  });

  it('is stopped while it is, and only then', async () => {
    const child = spawn('sleep', ['600']);
    try {
      const pid = await pidOf(child);
      expect(isStopped(pid)).toBe(false);
      child.kill('SIGSTOP');
      await until(() => isStopped(pid));
      child.kill('SIGCONT');
      await until(() => !isStopped(pid));
    } finally {
      await end(child);
    }
  });

  it('is unknown once it has ended', async () => {
    const child = spawn('sleep', ['600']);
    const pid = await pidOf(child);

    await end(child);

    expect(isRunning(pid)).toBe(false);
    expect(processName(pid)).toBeUndefined();
    expect(processFolder(pid)).toBeUndefined();
    expect(processStartedAt(pid)).toBeUndefined();
    expect(childrenOf(pid)).toEqual([]);
  });

  it('is not running when it has ended and nobody collected it', async () => {
    // The shell becomes a program that never asks how its child ended, before the child has ended.
    const parent = spawn('sh', ['-c', 'sleep 0.3 & echo $!; exec sleep 600'], { stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      const [line] = (await once(parent.stdout, 'data')) as [Buffer];
      const pid = Number(line.toString());
      await until(() => !isRunning(pid));
      expect(() => process.kill(pid, 0)).not.toThrow();
    } finally {
      await end(parent);
    }
  });
});

async function until(claim: () => boolean): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (!claim() && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(claim()).toBe(true);
}

async function pidOf(child: ChildProcess): Promise<number> {
  if (child.pid === undefined) await once(child, 'spawn');
  if (child.pid === undefined) throw new TypeError('a process that was started has a pid');
  return child.pid;
}

async function end(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}
