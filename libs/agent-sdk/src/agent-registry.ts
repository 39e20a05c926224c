import { PlatformError, type Redelivery } from '@millrace/kernel';
import type { AgentDefinition } from './agent-definition.js';

export class AgentUnknown extends PlatformError {
  constructor(
    message: string,
    readonly code: 'AGENT_NOT_FOUND' | 'AGENT_VERSION_GONE',
    /** `retry` while it may be among those that could not be loaded: a process with them has it. */
    readonly redelivery: Redelivery = 'park',
  ) {
    super(message);
  }
}

/** Agents that should be there and are not: which module they are in, and why. */
export interface AgentsLeftOut {
  readonly path: string;
  /** The one agent that is left out; undefined when it is all of the module. */
  readonly agentId: string | undefined;
  readonly message: string;
}

interface Registered {
  readonly definition: AgentDefinition;
  /** The module it came from; undefined for what the process itself knows. */
  readonly path: string | undefined;
}

/** The agents a process knows. Several versions of one stand side by side, so that runs in flight can go on. */
export class AgentRegistry {
  readonly #agents = new Map<string, Registered[]>();
  readonly #leftOut: AgentsLeftOut[] = [];

  constructor(definitions: Iterable<AgentDefinition> = []) {
    for (const definition of definitions) this.register(definition);
  }

  register(definition: AgentDefinition, path?: string): void {
    const { id, version } = definition;
    const versions = this.#agents.get(id) ?? [];
    const same = versions.find((registered) => registered.definition.version === version);
    if (same) throw new TypeError(`Agent ${id} ${version} is registered twice: ${bothOf(same.path, path)}`);
    this.#agents.set(id, [...versions, { definition, path }]);
  }

  /** The process goes on without them. */
  leaveOut(agents: AgentsLeftOut): void {
    this.#leftOut.push(agents);
  }

  get leftOut(): readonly AgentsLeftOut[] {
    return this.#leftOut;
  }

  /** The version new runs start with: the one registered last. */
  latest(id: string): AgentDefinition {
    const found = this.#agents.get(id)?.at(-1);
    if (!found) throw this.unknown(id);
    return found.definition;
  }

  get(id: string, version: string): AgentDefinition {
    const versions = this.#agents.get(id);
    if (!versions) throw this.unknown(id);
    const found = versions.find(({ definition }) => definition.version === version);
    if (found) return found.definition;
    const there = versions.map(({ definition }) => definition.version).join(', ');
    throw new AgentUnknown(
      `Agent ${id} ${version} is gone: there is ${there}${this.without(id)}`,
      'AGENT_VERSION_GONE',
      this.redeliveryOf(id),
    );
  }

  list(): readonly AgentDefinition[] {
    return [...this.#agents.values()].flat().map(({ definition }) => definition);
  }

  private unknown(id: string): AgentUnknown {
    const message = `There is no agent ${id}: ${this.listed()}${this.without(id)}`;
    return new AgentUnknown(message, 'AGENT_NOT_FOUND', this.redeliveryOf(id));
  }

  private redeliveryOf(id: string): Redelivery {
    return this.mayHold(id).length > 0 ? 'retry' : 'park';
  }

  private without(id: string): string {
    const paths = this.mayHold(id).map(({ path }) => path);
    return paths.length === 0 ? '' : `; not loaded: ${paths.join(', ')}`;
  }

  private mayHold(id: string): AgentsLeftOut[] {
    return this.#leftOut.filter(({ agentId }) => agentId === undefined || agentId === id);
  }

  private listed(): string {
    return this.#agents.size === 0 ? 'none is registered' : `there are ${[...this.#agents.keys()].join(', ')}`;
  }
}

const bothOf = (one: string | undefined, other: string | undefined): string => {
  const [first, second] = [one, other].map((path) => path ?? 'the agents this process has anyway');
  return first === second ? `both in ${first}` : `in ${first} and in ${second}`;
};
