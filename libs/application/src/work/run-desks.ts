import type { RunRef } from '@millrace/contracts';
import { type DeskPorts, RunDesk } from './run-desk.js';

interface Used {
  readonly desk: Promise<RunDesk>;
  users: number;
  idle: NodeJS.Timeout | undefined;
}

/** A desk is kept a little after its last task: the next one of the same run then reads only what is new. */
export class RunDesks {
  readonly #desks = new Map<string, Used>();

  constructor(
    private readonly ports: DeskPorts,
    private readonly keepMs: number,
  ) {}

  /** Gives the desk to `work` while it lasts. */
  async with<T>(ref: RunRef, work: (desk: RunDesk) => Promise<T>): Promise<T> {
    const key = `${ref.tenantId}/${ref.runId}`;
    const used = this.#desks.get(key) ?? this.open(key, ref);
    used.users += 1;
    clearTimeout(used.idle);
    try {
      return await work(await used.desk);
    } catch (error) {
      this.drop(key, used); // whatever it believed, the next task reads the log again
      throw error;
    } finally {
      used.users -= 1;
      if (used.users === 0) used.idle = setTimeout(() => this.drop(key, used), this.keepMs).unref();
    }
  }

  get size(): number {
    return this.#desks.size;
  }

  close(): void {
    for (const [key, used] of this.#desks) this.drop(key, used);
  }

  private open(key: string, ref: RunRef): Used {
    const used: Used = { desk: RunDesk.open(this.ports, ref), users: 0, idle: undefined };
    this.#desks.set(key, used);
    return used;
  }

  private drop(key: string, used: Used): void {
    clearTimeout(used.idle);
    if (this.#desks.get(key) === used) this.#desks.delete(key);
    used.desk.then(
      (desk) => desk.close(),
      () => {},
    ); // that it could not be opened was told to who asked for it
  }
}
