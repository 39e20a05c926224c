import { type AgentAnnouncement, type FieldProblem, inputChecker } from '@millrace/contracts';
import { PlatformError } from '@millrace/kernel';
import type { KnownAgents } from '@millrace/ports';

/** No worker ever announced it. */
export class AgentNotFound extends PlatformError {
  readonly code = 'AGENT_NOT_FOUND';
  readonly redelivery = 'park';
}

/** The agent's input schema refuses what the run would be given. */
export class InputInvalid extends PlatformError {
  readonly code = 'INPUT_INVALID';
  readonly redelivery = 'park';

  constructor(
    agent: string,
    readonly problems: readonly FieldProblem[],
  ) {
    super(`Agent ${agent}: ${problems.map(({ field, message }) => `${field} ${message}`).join('; ')}`);
  }
}

type InputCheck = ReturnType<typeof inputChecker>;

/**
 * What is looked at before a run is asked for, so that nothing is stored that could never run.
 *
 * I1  An agent is refused only after the catalogue was read to its end. One that is known is taken without a read, also
 *     while the store is away; what cannot be known then is StoreUnavailable, and not a refusal.
 */
export class AgentChecks {
  readonly #checks = new WeakMap<AgentAnnouncement, { readonly check: InputCheck }>();

  constructor(private readonly agents: Pick<KnownAgents, 'has' | 'ids' | 'latest' | 'refresh'>) {}

  /** Resolves with the version a run would start with. */
  async requireAgent(agent: string): Promise<AgentAnnouncement> {
    if (!this.agents.has(agent)) await this.agents.refresh(); // I1
    const found = this.agents.latest(agent);
    if (!found) throw new AgentNotFound(`There is no agent ${agent}: ${thereAre(this.agents.ids)}`);
    return found;
  }

  async requireInput(agent: string, input: unknown): Promise<void> {
    const announcement = await this.requireAgent(agent);
    const problems = this.checkOf(announcement)?.(input) ?? [];
    if (problems.length > 0) throw new InputInvalid(agent, problems);
  }

  /** Made once for each announcement. */
  private checkOf(announcement: AgentAnnouncement): InputCheck {
    const made = this.#checks.get(announcement);
    if (made) return made.check;
    const { inputSchema } = announcement;
    const check = inputSchema && inputChecker(inputSchema);
    this.#checks.set(announcement, { check });
    return check;
  }
}

const MOST_NAMED = 50;

/** For the message of an error: the names there are. */
export const thereAre = (names: readonly string[]): string => {
  if (names.length === 0) return 'there is none yet; start a worker that has it';
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : '';
  return `there ${names.length === 1 ? 'is' : 'are'} ${names.slice(0, MOST_NAMED).join(', ')}${more}`;
};
