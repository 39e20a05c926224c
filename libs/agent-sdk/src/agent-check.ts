import { Name } from '@millrace/contracts';
import { z } from 'zod';
import type { AgentDefinition } from './agent-definition.js';
import { aFunction, aZodSchema, ContractNodeShape } from './contract-node.js';
import { DefinitionInvalid, problemsOf, type DefinitionProblem } from './definition-invalid.js';

/** Looks at what only a running graph would find out, on a worker, in the middle of somebody's run. */
export const checkAgent = (definition: AgentDefinition): void => {
  const parsed = Shape.safeParse(definition);
  const problems = parsed.success ? unknownNames(definition) : problemsOf(parsed.error);
  if (problems.length > 0) throw new DefinitionInvalid(`Agent ${nameOf(definition)}`, problems);
};

const aCompiledGraph = z.custom(
  (value) => isObject(value) && isObject(value['nodes']) && typeof value['invoke'] === 'function',
  'must be a compiled graph: new StateGraph(...).compile()',
);

const Shape = z.object({
  id: Name,
  version: Name,
  title: z.string().max(200).optional(),
  description: z.string().max(10_000).optional(),
  policies: z.array(Name).optional(),
  speakers: z.array(Name).optional(),
  conversational: z.boolean().optional(),
  graph: aCompiledGraph,
  nodes: z.record(Name, ContractNodeShape).optional(),
  tools: z
    .record(
      Name,
      z.object({
        description: z.string().max(10_000).optional(),
        inputSchema: aZodSchema.optional(),
        needsApproval: z.union([z.boolean(), aFunction], 'must be true, false or a function').optional(),
        run: aFunction,
      }),
    )
    .optional(),
  inputSchema: aZodSchema.optional(),
  outputSchema: aZodSchema.optional(),
  toState: aFunction.optional(),
  toOutput: aFunction.optional(),
  retry: z
    .record(
      Name,
      z.object({
        maxAttempts: z.int().positive().optional(),
        firstDelayMs: z.number().nonnegative().optional(),
        factor: z.number().min(1).optional(),
        maxDelayMs: z.number().nonnegative().optional(),
        isRetryable: aFunction.optional(),
      }),
    )
    .optional(),
  recursionLimit: z.int().positive().optional(),
});

const unknownNames = ({ graph, nodes = {}, retry = {}, tools = {} }: AgentDefinition): DefinitionProblem[] => {
  const inGraph = Object.keys(graph.nodes).filter((name) => name !== '__start__');
  // Inside a subgraph a node's name is its path, of which this graph knows the first part.
  const isThere = (path: string) => inGraph.includes(path.split('|')[0]!);
  const nowhere = (field: string, names: readonly string[]) =>
    names
      .filter((name) => !isThere(name))
      .map((name) => ({
        field: `${field}.${name}`,
        problem: `the graph has no such node: it has ${inGraph.join(', ')}`,
      }));

  const missingTools = Object.entries(nodes).flatMap(([name, { ports }]) =>
    ports
      .filter((port) => port.startsWith('tool:') && !Object.hasOwn(tools, port.slice('tool:'.length)))
      .map((port) => ({ field: `nodes.${name}.ports`, problem: `${port} is none of the agent's tools` })),
  );
  return [...nowhere('nodes', Object.keys(nodes)), ...nowhere('retry', Object.keys(retry)), ...missingTools];
};

const nameOf = (definition: unknown): string =>
  isObject(definition) && typeof definition['id'] === 'string' && definition['id'] !== ''
    ? definition['id']
    : '(no id)';

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
