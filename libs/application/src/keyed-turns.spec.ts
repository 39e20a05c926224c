import { describe, expect, it } from '@jest/globals';
import { KeyedTurns } from './keyed-turns.js';

describe('Turns', () => {
  it('let one at a time work on a key, and share the turn that has not begun', async () => {
    const turns = new KeyedTurns();
    const release: (() => void)[] = [];
    let running = 0;
    let most = 0;
    const work = async () => {
      most = Math.max(most, (running += 1));
      await new Promise<void>((resolve) => release.push(resolve));
      running -= 1;
    };
    const all = [1, 2, 3, 4].map(() => turns.take('a', work));
    const other = turns.take('b', async () => {});
    await other;
    expect(release).toHaveLength(1);
    release[0]!();
    while (release.length < 2) await new Promise((resolve) => setImmediate(resolve));
    release[1]!();
    await Promise.all(all);
    expect({ most, turns: release.length }).toEqual({ most: 1, turns: 2 });
  });

  it('go on after a turn that failed, whose caller is told', async () => {
    const turns = new KeyedTurns();
    const failing = turns.take('a', () => Promise.reject(new Error('no')));
    const next = turns.take('a', async () => {});
    await expect(failing).rejects.toThrow('no');
    await next;
  });
});
