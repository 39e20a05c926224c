import { PlatformError } from '@millrace/kernel';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { defineAgent, type AgentDefinition } from './agent-definition.js';
import { AgentRegistry, type AgentsLeftOut } from './agent-registry.js';
import { lineOf } from './error-line.js';

export class AgentModuleInvalid extends PlatformError implements AgentsLeftOut {
  readonly code = 'AGENT_MODULE_INVALID';
  readonly redelivery = 'park';
  readonly agentId: string | undefined;

  constructor(
    readonly path: string,
    problem: string,
    { agentId, ...options }: ErrorOptions & { readonly agentId?: string | undefined } = {},
  ) {
    super(`The agents in ${path} cannot be used: ${problem}`, options);
    this.agentId = agentId;
  }
}

export interface LoadOptions {
  /** What is there already. */
  readonly registry?: AgentRegistry;
  /** Throws when the agent could not be run here, beside what {@link defineAgent} looks at. */
  readonly check?: (definition: AgentDefinition) => void;
  readonly importModule?: (path: string) => Promise<unknown>;
}

/**
 * The agents of a user's own modules, added to a registry. A module exports one definition or a list of them, as
 * `agents` or as its default. Paths are files, relative to where the process was started.
 *
 * What cannot be used is left out, and the registry says why: of a module that does not load all of it, of one with a bad
 * definition that agent alone. The others run.
 */
export const loadAgents = async (
  modulePaths: readonly string[],
  { registry = new AgentRegistry(), check = () => {}, importModule = importFile }: LoadOptions = {},
): Promise<AgentRegistry> => {
  for (const path of modulePaths) {
    try {
      for (const definition of exportedBy(await imported(path, importModule), path)) add(definition, path);
    } catch (error) {
      leaveOut(error);
    }
  }
  return registry;

  function add(definition: unknown, path: string): void {
    try {
      const defined = defineAgent(definition as AgentDefinition); // checked there, also when it was not made with it
      check(defined);
      registry.register(defined, path);
    } catch (cause) {
      leaveOut(new AgentModuleInvalid(path, messageOf(cause), { cause, agentId: idOf(definition) }));
    }
  }

  function leaveOut(error: unknown): void {
    if (!(error instanceof AgentModuleInvalid)) throw error;
    registry.leaveOut(error);
  }
};

const importFile = async (path: string): Promise<unknown> => import(pathToFileURL(resolve(path)).href);

const imported = async (path: string, importModule: (path: string) => Promise<unknown>): Promise<unknown> => {
  try {
    return await importModule(path);
  } catch (cause) {
    const line = await lineOf(cause, resolve(path));
    const where = line === undefined ? '; check that the file is there' : `, at ${line}`;
    throw new AgentModuleInvalid(path, `the module does not load (${messageOf(cause)})${where}`, { cause });
  }
};

const exportedBy = (module: unknown, path: string): readonly unknown[] => {
  // `agents` first: it is a name somebody chose, while a CommonJS module always has a default.
  const exported = fieldOf(module, 'agents') ?? fieldOf(module, 'default');
  const definitions: readonly unknown[] = Array.isArray(exported) ? exported : exported === undefined ? [] : [exported];
  if (definitions.length > 0) return definitions;
  throw new AgentModuleInvalid(
    path,
    'it exports none; write `export default defineAgent({ ... })` or `export const agents = [defineAgent({ ... })]`',
  );
};

const idOf = (definition: unknown): string | undefined => {
  const id = fieldOf(definition, 'id');
  return typeof id === 'string' ? id : undefined;
};

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));
