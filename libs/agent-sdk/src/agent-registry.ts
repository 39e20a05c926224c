import { PlatformError } from '@millrace/kernel';
import type { AgentDefinition } from './agent-definition.js';

export class AgentUnknown extends PlatformError {
  readonly redelivery = 'park';

  constructor(
    message: string,
    readonly code: 'AGENT_NOT_FOUND' | 'AGENT_VERSION_GONE',
  ) {
    super(message);
  }
}

/** The agents a process knows. Several versions of one stand side by side, so that runs in flight can go on. */
export class AgentRegistry {
  readonly #agents = new Map<string, AgentDefinition[]>();

  constructor(definitions: Iterable<AgentDefinition> = []) {
    for (const definition of definitions) this.register(definition);
  }

  register(definition: AgentDefinition): void {
    const versions = this.#agents.get(definition.id) ?? [];
    if (versions.some(({ version }) => version === definition.version)) {
      throw new TypeError(`Agent ${definition.id} ${definition.version} is registered twice`);
    }
    this.#agents.set(definition.id, [...versions, definition]);
  }

  /** The version new runs start with: the one registered last. */
  latest(id: string): AgentDefinition {
    const found = this.#agents.get(id)?.at(-1);
    if (!found) throw new AgentUnknown(`There is no agent ${id}: ${this.listed()}`, 'AGENT_NOT_FOUND');
    return found;
  }

  get(id: string, version: string): AgentDefinition {
    const versions = this.#agents.get(id);
    if (!versions) throw new AgentUnknown(`There is no agent ${id}: ${this.listed()}`, 'AGENT_NOT_FOUND');
    const found = versions.find((definition) => definition.version === version);
    if (found) return found;
    const there = versions.map((definition) => definition.version).join(', ');
    throw new AgentUnknown(`Agent ${id} ${version} is gone: there is ${there}`, 'AGENT_VERSION_GONE');
  }

  list(): readonly AgentDefinition[] {
    return [...this.#agents.values()].flat();
  }

  private listed(): string {
    return this.#agents.size === 0 ? 'none is registered' : `there are ${[...this.#agents.keys()].join(', ')}`;
  }
}
