import type { RunRef } from '@millrace/contracts';
import type { RunLog } from '@millrace/ports';
import { RunRefused } from '@millrace/run-domain';
import { RunChannel } from './run-channel.js';
import { type Held, Shared } from './shared.js';

/** Every run that somebody reads here. */
export class RunChannels {
  readonly #shared = new Shared<RunChannel>();

  constructor(private readonly log: RunLog) {}

  get size(): number {
    return this.#shared.size;
  }

  /**
   * The same channel for all who read the run at the same time, opened where the first of them begins; rejects when
   * there is no such run.
   */
  hold(run: RunRef, wanted: number): Promise<Held<RunChannel>> {
    return this.#shared.hold(`${run.tenantId}/${run.runId}`, async () => {
      const channel = await RunChannel.open(this.log, run, wanted);
      if (!channel) throw new RunRefused('RUN_NOT_FOUND', run);
      return channel;
    });
  }
}
