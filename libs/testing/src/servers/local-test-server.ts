import { childrenOf, isRunning, isStopped, type RunningServer } from '@millrace/local-servers';
import { rmSync } from 'node:fs';
import type { TestServer } from './test-server.js';

/** A server that can be ended and started again with what `start` closes over: its folder and its port. */
export class LocalTestServer implements TestServer {
  #paused: number[] = [];

  private constructor(
    private readonly folder: string,
    private readonly start: (port?: number) => Promise<RunningServer & { port: number }>,
    private running: RunningServer & { port: number },
  ) {}

  /** `start` keeps its data in `folder`, which is removed in the end. */
  static async open(folder: string, start: LocalTestServer['start']): Promise<LocalTestServer> {
    try {
      return new LocalTestServer(folder, start, await start());
    } catch (error) {
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  }

  get url(): string {
    return this.running.url;
  }

  get pid(): number {
    return this.running.pid;
  }

  async stop(): Promise<void> {
    await this.resume(); // a paused process hears nothing but SIGKILL
    await this.running.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async kill(signal: NodeJS.Signals): Promise<void> {
    this.running.kill(signal);
    await this.resume(); // else it hears nothing but SIGKILL, and its children never notice that it is gone
    await this.running.exited;
  }

  async restart(): Promise<void> {
    await this.resume();
    await this.running.stop();
    this.running = await this.start(this.running.port);
  }

  async pause(): Promise<void> {
    process.kill(this.pid, 'SIGSTOP');
    const children = childrenOf(this.pid); // PostgreSQL answers from processes of its own, one for each connection
    for (const pid of children) process.kill(pid, 'SIGSTOP');
    this.#paused = [this.pid, ...children];
    const deadline = Date.now() + 30_000;
    while (!this.#paused.every(isStopped)) {
      if (Date.now() > deadline) throw new Error(`Process ${this.pid} still runs 30 s after SIGSTOP`);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }

  async resume(): Promise<void> {
    for (const pid of this.#paused.splice(0).filter(isRunning)) process.kill(pid, 'SIGCONT');
  }
}
