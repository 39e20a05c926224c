import { drawGraph } from '@millrace/adapter-langgraph';
import type { AgentDefinition, AgentRegistry } from '@millrace/agent-sdk';
import { AgentAnnouncements, reasonOf } from '@millrace/application';
import type { AgentGraph, WorkerId } from '@millrace/contracts';
import { OutageLog } from '@millrace/nest-kit';
import type { AgentCatalogue } from '@millrace/ports';
import { type BeforeApplicationShutdown, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { setTimeout as pause } from 'node:timers/promises';

/** Announces this worker's agents from its start to its end. */
export class AgentAnnouncer implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #log = new Logger('Agents');
  readonly #stopping = new AbortController();
  readonly #announcements: AgentAnnouncements;
  #announcing: Promise<void> = Promise.resolve();

  constructor(catalogue: AgentCatalogue, agents: Pick<AgentRegistry, 'list' | 'latest'>, workerId: WorkerId) {
    const outages = new OutageLog(this.#log);
    this.#announcements = new AgentAnnouncements(
      {
        ...{ catalogue, agents },
        graphOf: (definition) => this.graphOf(definition),
        pause: (ms, signal) => pause(ms, undefined, { signal, ref: false }).catch(() => {}), // the caller sees the signal
      },
      {
        announced: (definitions) =>
          this.#log.log(`Announced ${definitions.map(({ id, version }) => `${id} ${version}`).join(', ')}`),
        storeAway: (error) => outages.failed(error),
        storeThere: () => outages.recovered(),
      },
      workerId,
    );
  }

  /** Until then runs of its agents may be refused as unknown. */
  get isAnnounced(): boolean {
    return this.#announcements.isAnnounced;
  }

  onApplicationBootstrap(): void {
    this.#announcing = this.#announcements.run(this.#stopping.signal);
  }

  /** New runs go to other workers from now on, or wait. */
  async beforeApplicationShutdown(): Promise<void> {
    this.#stopping.abort();
    await this.#announcing;
    try {
      await this.#announcements.withdraw();
    } catch (error) {
      this.#log.warn(`This worker could not say that it ends; others notice in half a minute: ${reasonOf(error)}`);
    }
  }

  /** An agent that cannot be drawn can be run all the same. */
  private async graphOf(definition: AgentDefinition): Promise<AgentGraph> {
    try {
      return await drawGraph(definition);
    } catch (error) {
      this.#log.warn(`The graph of agent ${definition.id} ${definition.version} cannot be drawn: ${reasonOf(error)}`);
      return { nodes: [], edges: [] };
    }
  }
}
