import type { AgentCatalogue, KnownAgents } from '@millrace/ports';

/** What other workers have. Read only when this one is given a run whose agent's version it does not have. */
export class ServedVersions {
  readonly #stop = new AbortController();
  #known: Promise<KnownAgents> | undefined;

  constructor(private readonly catalogue: Pick<AgentCatalogue, 'watch'>) {}

  /** Whether workers have other versions of the agent and none has this one. */
  async isGone(agent: string, version: string): Promise<boolean> {
    const known = await this.read();
    await known.refresh();
    return !known.isServed(agent, version) && known.startable(agent) !== undefined;
  }

  close(): void {
    this.#stop.abort();
  }

  private async read(): Promise<KnownAgents> {
    this.#known ??= this.catalogue.watch(this.#stop.signal);
    try {
      return await this.#known;
    } catch (error) {
      this.#known = undefined; // the next question tries again
      throw error;
    }
  }
}
