import { PlatformError } from '@millrace/kernel';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { defineAgent, type AgentDefinition } from './agent-definition.js';
import { AgentRegistry } from './agent-registry.js';

export class AgentModuleInvalid extends PlatformError {
  readonly code = 'AGENT_MODULE_INVALID';
  readonly redelivery = 'park';

  constructor(
    readonly path: string,
    problem: string,
    options?: ErrorOptions,
  ) {
    super(`The agents in ${path} cannot be used: ${problem}`, options);
  }
}

/**
 * The agents of a user's own modules, added to `registry`. A module exports one definition or a list of them, as
 * `agents` or as its default. Paths are files, relative to where the process was started.
 */
export const loadAgents = async (
  modulePaths: readonly string[],
  importModule: (path: string) => Promise<unknown> = importFile,
  registry = new AgentRegistry(),
): Promise<AgentRegistry> => {
  for (const path of modulePaths) {
    for (const definition of exportedBy(await imported(path, importModule), path)) add(definition, path, registry);
  }
  return registry;
};

const importFile = async (path: string): Promise<unknown> => import(pathToFileURL(resolve(path)).href);

const imported = async (path: string, importModule: (path: string) => Promise<unknown>): Promise<unknown> => {
  try {
    return await importModule(path);
  } catch (cause) {
    throw new AgentModuleInvalid(path, `the module does not load (${messageOf(cause)}); check that the file is there`, {
      cause,
    });
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

const add = (definition: unknown, path: string, registry: AgentRegistry): void => {
  try {
    registry.register(defineAgent(definition as AgentDefinition)); // checked there, also when it was not made with it
  } catch (cause) {
    throw new AgentModuleInvalid(path, messageOf(cause), { cause });
  }
};

const fieldOf = (module: unknown, name: string): unknown =>
  typeof module === 'object' && module !== null ? (module as Record<string, unknown>)[name] : undefined;

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));
