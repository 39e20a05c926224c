import { type AgentDefinition, type AgentRegistry, describeAgent } from '@millrace/agent-sdk';
import type { AgentGraph, WorkerId, WorkerPresence } from '@millrace/contracts';
import { type AgentCatalogue, PRESENT_EVERY_MS } from '@millrace/ports';

export interface AnnouncePorts {
  readonly catalogue: Pick<AgentCatalogue, 'announce' | 'present' | 'withdraw'>;
  readonly agents: Pick<AgentRegistry, 'list' | 'latest'>;
  readonly graphOf: (definition: AgentDefinition) => Promise<AgentGraph>;
  /** Resolves early when the signal aborts, and never rejects. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
}

export interface AnnounceNotes {
  announced(definitions: readonly AgentDefinition[]): void;
  /** The store did not take an announcement, which is made again. */
  storeAway(error: unknown): void;
  /** The store took an announcement. */
  storeThere(): void;
}

const AGAIN_MS = 500;

/**
 * Tells all other processes which agents a worker has: each once when it starts, and that the worker lives as long as it does.
 *
 * I1  No process is told that an agent is served before the agent was announced.
 */
export class AgentAnnouncements {
  #isAnnounced = false;

  constructor(
    private readonly ports: AnnouncePorts,
    private readonly notes: AnnounceNotes,
    private readonly workerId: WorkerId,
  ) {}

  /** Until then runs of its agents may be refused as unknown. */
  get isAnnounced(): boolean {
    return this.#isAnnounced;
  }

  /** Until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { agents, catalogue, pause } = this.ports;
    const definitions = agents.list();
    for (const definition of definitions) await this.untilStored(() => this.announce(definition), signal);
    this.#isAnnounced = await this.untilStored(() => catalogue.present(this.presence(definitions)), signal); // I1
    if (!this.#isAnnounced) return;
    this.notes.announced(definitions);
    while (!signal.aborted) {
      await pause(PRESENT_EVERY_MS, signal);
      await this.untilStored(() => catalogue.present(this.presence(definitions)), signal);
    }
  }

  /** New runs go to other workers from now on, or wait. To be called when `run` has ended. */
  async withdraw(): Promise<void> {
    if (this.#isAnnounced) await this.ports.catalogue.withdraw(this.workerId);
  }

  private async announce(definition: AgentDefinition): Promise<void> {
    const graph = await this.ports.graphOf(definition);
    await this.ports.catalogue.announce(describeAgent(definition, { graph, announcedBy: this.workerId }));
  }

  private presence(definitions: readonly AgentDefinition[]): WorkerPresence {
    const serves = definitions.map(({ id: agent, version }) => ({
      ...{ agent, version, isCurrent: this.ports.agents.latest(agent).version === version },
    }));
    return { format: '1', workerId: this.workerId, serves };
  }

  /** Again and again while the store is away. False when the worker stopped first. */
  private async untilStored(store: () => Promise<void>, signal: AbortSignal): Promise<boolean> {
    while (!signal.aborted) {
      try {
        await store();
        this.notes.storeThere();
        return true;
      } catch (error) {
        this.notes.storeAway(error);
        await this.ports.pause(AGAIN_MS, signal);
      }
    }
    return false;
  }
}
