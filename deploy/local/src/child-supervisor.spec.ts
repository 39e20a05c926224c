import { describe, expect, it } from '@jest/globals';
import type { ChildExit } from '@millrace/local-servers';
import { type Child, ChildSupervisor } from './child-supervisor.js';

class FakeChild implements Child {
  isStopped = false;
  #end: (exit: ChildExit) => void = () => {};
  readonly exited = new Promise<ChildExit>((resolve) => (this.#end = resolve));
  constructor(readonly pid: number) {}
  die(): void {
    this.#end({ code: null, signal: 'SIGKILL' });
  }
  async stop(): Promise<void> {
    this.isStopped = true;
    this.#end({ code: 0, signal: null });
  }
}

/** Starts children 1, 2, 3…; `refuse` says which start fails. */
function supervise(refuse: (start: number) => boolean = () => false) {
  const children: FakeChild[] = [];
  const lines: string[] = [];
  const waiting: (() => void)[] = [];
  let starts = 0;
  const supervisor = new ChildSupervisor({
    name: 'worker',
    start: async () => {
      if (refuse(++starts)) throw new Error('no port\nand more');
      const child = new FakeChild(starts);
      children.push(child);
      return child;
    },
    say: (line) => {
      lines.push(line);
      for (const wake of waiting.splice(0)) wake();
    },
    onStarted: () => undefined,
  });
  const nextLine = () => new Promise<void>((resolve) => waiting.push(resolve));
  return { supervisor, children, lines, nextLine };
}

describe('ChildSupervisor', () => {
  it('starts a child again that dies, and says so in one line', async () => {
    const { supervisor, children, lines, nextLine } = supervise();
    await supervisor.start();
    const said = nextLine();
    children[0]?.die();
    await said;
    expect(lines).toEqual(['worker was ended by SIGKILL; started again (pid 2)']);
    await supervisor.stop();
    expect(children.map(({ isStopped }) => isStopped)).toEqual([false, true]);
  });

  it('goes on trying when it cannot be started again, and says why once', async () => {
    const { supervisor, children, lines, nextLine } = supervise((start) => start === 2 || start === 3);
    await supervisor.start();
    let said = nextLine();
    children[0]?.die();
    await said;
    said = nextLine();
    await said;
    expect(lines).toEqual([
      'worker was ended by SIGKILL and does not start: no port; trying again',
      'worker was ended by SIGKILL; started again (pid 4)',
    ]);
    await supervisor.stop();
  });

  it('does not hide that the first start failed', async () => {
    await expect(supervise((start) => start === 1).supervisor.start()).rejects.toThrow('no port');
  });

  it('starts nothing any more once it was told to stop', async () => {
    const { supervisor, children } = supervise();
    await supervisor.start();
    children[0]?.die();
    await supervisor.stop();
    expect(children).toHaveLength(1);
  });
});
