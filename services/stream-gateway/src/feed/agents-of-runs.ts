import type { RunRef } from '@millrace/contracts';
import { PlatformError } from '@millrace/kernel';
import type { RunLog } from '@millrace/ports';
import type { Unreadables } from '../streams/unreadables.js';

const MOST_RUNS = 10_000;

/** Which agent a run was asked for: its first event says so, and few of the others do. */
export class AgentsOfRuns {
  readonly #known = new Map<string, Promise<string | undefined>>();

  constructor(
    private readonly log: RunLog,
    private readonly unreadables: Pick<Unreadables, 'inRun'>,
  ) {}

  of({ tenantId, runId }: RunRef): Promise<string | undefined> {
    const key = `${tenantId}/${runId}`;
    const known = this.#known.get(key);
    if (known) return known;
    const asked = this.ask({ tenantId, runId });
    this.#known.set(key, asked);
    asked.catch(() => this.#known.delete(key)); // it is asked for again
    const [oldest] = this.#known.keys();
    if (this.#known.size > MOST_RUNS && oldest !== undefined) this.#known.delete(oldest);
    return asked;
  }

  private async ask(run: RunRef): Promise<string | undefined> {
    try {
      const [first] = (await this.log.read(run, { position: 0 }, { limit: 1, atLeast: 'now' })).events;
      return first?.kind === 'RunRequested' ? first.agent : undefined;
    } catch (error) {
      if (error instanceof PlatformError && error.redelivery === 'retry') throw error;
      this.unreadables.inRun(run, error); // the feed goes on without this run
      return undefined;
    }
  }
}
