import { describe, expect, it } from '@jest/globals';
import { type Guard, spawnGuarded } from './guarded-child.js';
import { isRunning } from './process-state.js';

describe.each<Guard>(['kernel', 'pipe'])('A child guarded by %s', (guard) => {
  const sh = (script: string) => spawnGuarded({ command: 'sh', args: ['-c', script], guard });

  it('tells how it ended and all it printed', async () => {
    const child = await sh('echo out; echo err >&2; exit 3');
    let output = '';
    child.onOutput((text) => (output += text));

    await child.silent;

    expect(await child.exited).toEqual({ code: 3, signal: null });
    expect(output.split('\n').filter(Boolean).sort()).toEqual(['err', 'out']);
  });

  it('ends by the signal it is sent', async () => {
    const child = await sh('exec sleep 600');

    child.kill('SIGTERM');

    expect(await child.exited).toEqual({ code: null, signal: 'SIGTERM' });
    expect(isRunning(child.pid)).toBe(false);
  });

  it('is killed when it ignores being asked', async () => {
    const child = await sh('trap "" TERM; echo deaf; while :; do sleep 1; done');
    await new Promise<void>((resolve) => child.onOutput(() => resolve()));

    await child.stop('SIGTERM', 50);

    expect(await child.exited).toEqual({ code: null, signal: 'SIGKILL' });
  });

  it('may be stopped when it has ended already', async () => {
    const child = await sh('exit 0');
    await child.exited;

    await child.stop('SIGTERM', 0);

    expect(await child.exited).toEqual({ code: 0, signal: null });
  });

  it('gets its arguments as they are', async () => {
    const child = await spawnGuarded({ command: 'printf', args: ['%s|', 'a b', '$HOME', '"', ''], guard });
    let output = '';
    child.onOutput((text) => (output += text));

    await child.silent;

    expect(output).toBe('a b|$HOME|"||');
  });
});
