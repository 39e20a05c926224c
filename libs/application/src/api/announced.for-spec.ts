import type { AgentAnnouncement, JsonSchema } from '@millrace/contracts';
import { KnownAgents } from '@millrace/ports';
import { announcementOf, aWorkerId } from '@millrace/testing';

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
