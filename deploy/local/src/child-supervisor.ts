import { type ChildExit, describeExit } from '@millrace/local-servers';
import { setTimeout as pause } from 'node:timers/promises';

export interface Child {
  readonly pid: number;
  readonly exited: Promise<ChildExit>;
  stop(): Promise<void>;
}

export interface Supervision {
  readonly name: string;
  /** The first start as well as every later one. */
  readonly start: () => Promise<Child>;
  /** One line for people. */
  readonly say: (line: string) => void;
  readonly onStarted: (pid: number) => void;
}

/** Keeps one child running: starts it again when it dies, sooner the first time than the tenth. */
export class ChildSupervisor {
  readonly #stopping = new AbortController();
  #child: Child | undefined;
  #watching: Promise<void> | undefined;

  constructor(private readonly options: Supervision) {}

  get name(): string {
    return this.options.name;
  }

  /** Rejects when the first start fails; later ones are repeated for ever. */
  async start(): Promise<void> {
    this.#watching = this.#watch(await this.#startOnce());
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#child?.stop();
    await this.#watching;
  }

  async #watch(first: Child): Promise<void> {
    const { signal } = this.#stopping;
    for (let child: Child | undefined = first, quickDeaths = 0; child !== undefined;) {
      const startedAt = Date.now();
      const exit = await child.exited;
      if (signal.aborted) return;
      quickDeaths = Date.now() - startedAt < QUICK_MS ? quickDeaths + 1 : 0;
      child = await this.#startAgain(exit, quickDeaths);
    }
  }

  /** Undefined when it is to be stopped instead. */
  async #startAgain(exit: ChildExit, quickDeaths: number): Promise<Child | undefined> {
    const { name, say } = this.options;
    const { signal } = this.#stopping;
    let lastReason: string | undefined;
    for (let attempt = quickDeaths; ; attempt++) {
      await pause(Math.min(FIRST_PAUSE_MS * 2 ** attempt, MAX_PAUSE_MS), undefined, { signal }).catch(unlessAborted);
      if (signal.aborted) return undefined;
      try {
        const child = await this.#startOnce();
        say(`${name} ${describeExit(exit)}; started again (pid ${child.pid})`);
        return child;
      } catch (error) {
        const reason = firstLine(error);
        if (reason !== lastReason) say(`${name} ${describeExit(exit)} and does not start: ${reason}; trying again`);
        lastReason = reason;
      }
    }

    function unlessAborted(error: unknown): void {
      if (!signal.aborted) throw error;
    }
  }

  async #startOnce(): Promise<Child> {
    const child = await this.options.start();
    this.#child = child;
    this.options.onStarted(child.pid);
    if (this.#stopping.signal.aborted) await child.stop(); // asked to stop while it was starting
    return child;
  }
}

const QUICK_MS = 10_000;
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 10_000;

const firstLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n').at(0) ?? '';
