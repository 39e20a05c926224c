import { AgentAnnouncement, type JsonSchema, WorkerId } from '@millrace/contracts';
import { KnownAgents } from '@millrace/ports';

export const aWorkerId = WorkerId.parse('01JD0000000000000000000009');

export const announcementOf = (id: string, about: Partial<AgentAnnouncement> = {}): AgentAnnouncement =>
  AgentAnnouncement.parse({
    ...{ format: '1', id, version: '1', policies: [], speakers: [id], conversational: false, tools: [] },
    ...{ graph: { nodes: [], edges: [] }, announcedBy: aWorkerId, ...about },
  });

/** A catalogue that is changed by hand. What is stored and not heard of yet is `unheard`. */
export class AnnouncedAgents {
  readonly unheard: AgentAnnouncement[] = [];
  /** What becomes of a read. */
  away: Error | undefined;
  reads = 0;
  readonly known = new KnownAgents({ nowMs: () => 0, refresh: () => this.refresh() });
  #place = 0;

  constructor(agents: Readonly<Record<string, JsonSchema | undefined>> = {}) {
    for (const [id, inputSchema] of Object.entries(agents)) this.announce(announcementOf(id, { inputSchema }));
  }

  announce(announcement: AgentAnnouncement): void {
    const place = (this.#place += 1);
    this.known.evolve({ kind: 'announced', announcement, since: place, place });
  }

  serve(...serves: [agent: string, version: string][]): void {
    const presence = { format: '1' as const, workerId: aWorkerId };
    const served = serves.map(([agent, version]) => ({ agent, version, isCurrent: true }));
    this.known.evolve({ kind: 'present', presence: { ...presence, serves: served }, place: (this.#place += 1) });
  }

  private async refresh(): Promise<void> {
    this.reads += 1;
    if (this.away) throw this.away;
    for (const announcement of this.unheard.splice(0)) this.announce(announcement);
  }
}
