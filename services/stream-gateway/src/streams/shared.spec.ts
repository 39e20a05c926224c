import { describe, expect, it } from '@jest/globals';
import { Shared } from './shared.js';

const thing = () => ({
  closed: 0,
  close() {
    this.closed += 1;
  },
});

describe('What is shared', () => {
  it('is opened once for all who want it at the same time, and closed by the last', async () => {
    const shared = new Shared<ReturnType<typeof thing>>();
    let opened = 0;
    const open = async () => {
      opened += 1;
      return thing();
    };
    const [first, second] = await Promise.all([shared.hold('a', open), shared.hold('a', open)]);
    expect([opened, shared.size, first.value === second.value]).toEqual([1, 1, true]);
    first.release();
    await Promise.resolve();
    expect(first.value.closed).toBe(0);
    second.release();
    await Promise.resolve();
    expect([first.value.closed, shared.size]).toEqual([1, 0]);
    expect((await shared.hold('a', open)).value).not.toBe(first.value);
  });

  it('is not closed by one who leaves while another waits for it', async () => {
    const shared = new Shared<ReturnType<typeof thing>>();
    let finish: (made: ReturnType<typeof thing>) => void = () => {};
    const slow = () => new Promise<ReturnType<typeof thing>>((resolve) => (finish = resolve));
    const waiting = [shared.hold('a', slow), shared.hold('a', slow)] as const;
    void waiting[0].then(({ release }) => release());
    finish(thing());
    const { value } = await waiting[1];
    expect(value.closed).toBe(0);
  });

  it('that could not be opened is tried again by the next', async () => {
    const shared = new Shared<ReturnType<typeof thing>>();
    const failing = async () => Promise.reject(new Error('away'));
    await expect(shared.hold('a', failing)).rejects.toThrow('away');
    expect(shared.size).toBe(0);
    expect((await shared.hold('a', async () => thing())).value.closed).toBe(0);
  });
});
