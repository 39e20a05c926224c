import type { AgentAnnouncement, AgentDetail, AgentsPage } from '@millrace/contracts';
import type { KnownAgents } from '@millrace/ports';
import { AgentNotFound, thereAre } from './agent-checks.js';

/** The catalogue of agents, as clients see it: the same for every tenant. */
export class AgentQueries {
  constructor(
    private readonly agents: Pick<
      KnownAgents,
      'has' | 'ids' | 'latest' | 'versions' | 'find' | 'startable' | 'isServed' | 'refresh'
    >,
  ) {}

  /** By their ids; `after` is the last one of the page before. */
  list(limit: number, after?: string): AgentsPage {
    const ids = this.agents.ids.filter((id) => after === undefined || id > after);
    const agents = ids.slice(0, limit).flatMap((id) => {
      const latest = this.agents.latest(id);
      if (!latest) return [];
      const { version, title, description, conversational } = latest;
      return [{ id, version, title, description, conversational, served: this.agents.startable(id) !== undefined }];
    });
    return { agents, ...(ids.length > limit ? { nextCursor: ids[limit - 1] } : {}) };
  }

  /** In the version new runs start with, when no other is asked for. */
  async detail(agent: string, version?: string): Promise<AgentDetail> {
    const find = () => (version === undefined ? this.agents.latest(agent) : this.agents.find(agent, version));
    if (!find()) await this.agents.refresh(); // announced a moment ago, perhaps
    const found = find();
    if (found) return this.detailOf(found);
    if (!this.agents.has(agent)) throw new AgentNotFound(`There is no agent ${agent}: ${thereAre(this.agents.ids)}`);
    const versions = this.agents.versions(agent).map((known) => known.version);
    throw new AgentNotFound(`Agent ${agent} has no version ${version}: ${thereAre(versions)}`);
  }

  private detailOf({ format: _, announcedBy: __, ...about }: AgentAnnouncement): AgentDetail {
    const isServed = (version: string) => this.agents.isServed(about.id, version);
    const versions = this.agents.versions(about.id).map(({ version }) => ({ version, served: isServed(version) }));
    return { ...about, served: isServed(about.version), versions };
  }
}
