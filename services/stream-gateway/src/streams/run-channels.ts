import type { RunRef } from '@millrace/contracts';
import type { RunLog } from '@millrace/ports';
import { RunRefused } from '@millrace/run-domain';
import { RunChannel } from './run-channel.js';

export interface OpenChannel {
  readonly channel: RunChannel;
  /** To be called once, by whoever opened it: the last one closes it. */
  readonly release: () => void;
}

interface Shared {
  readonly opening: Promise<RunChannel | undefined>;
  /** Counted before it is open, so that nobody closes what another one waits for. */
  users: number;
}

/** Every run that somebody reads here. */
export class RunChannels {
  readonly #shared = new Map<string, Shared>();

  constructor(private readonly log: RunLog) {}

  get size(): number {
    return this.#shared.size;
  }

  /** The same channel for all who read the run at the same time; rejects when there is no such run. */
  async open(run: RunRef): Promise<OpenChannel> {
    const key = `${run.tenantId}/${run.runId}`;
    const shared = this.#shared.get(key) ?? { opening: RunChannel.open(this.log, run), users: 0 };
    this.#shared.set(key, shared);
    shared.users += 1;
    const release = (): void => {
      shared.users -= 1;
      if (shared.users > 0) return;
      if (this.#shared.get(key) === shared) this.#shared.delete(key);
      void shared.opening.then((channel) => channel?.close());
    };
    try {
      const channel = await shared.opening;
      if (!channel) throw new RunRefused('RUN_NOT_FOUND', run);
      return { channel, release };
    } catch (error) {
      if (this.#shared.get(key) === shared) this.#shared.delete(key); // whoever comes next asks again
      throw error;
    }
  }
}
